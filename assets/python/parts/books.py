"""The books whose texts come with the page, for studies of longer ones: the same characters as src/studies/bundled_texts.h."""

BOOKS = {
    "darwin": (  # Charles Darwin, On the Origin of Species, 1859
        "When on board H.M.S. 'Beagle,' as naturalist, I was much struck with certain facts in the distribution of the inhabitants of South"
        " America, and in the geological relations of the present to the past inhabitants of that continent. These facts seemed to me to "
        "throw some light on the origin of species--that mystery of mysteries, as it has been called by one of our greatest philosophers. "
        "On my return home, it occurred to me, in 1837, that something might perhaps be made out on this question by patiently accumulating"
        " and reflecting on all sorts of facts which could possibly have any bearing on it. After five years' work I allowed myself to "
        "speculate on the subject, and drew up some short notes; these I enlarged in 1844 into a sketch of the conclusions, which then "
        "seemed to me probable: from that period to the present day I have steadily pursued the same object. I hope that I may be excused "
        "for entering on these personal details, as I give them to show that I have not been hasty in coming to a decision. My work is now "
        "nearly finished; but as it will take me two or three more years to complete it, and as my health is far from strong, I have been "
        "urged to publish this Abstract. I have more especially been induced to do this, as Mr. Wallace, who is now studying the natural "
        "history of the Malay archipelago, has arrived at almost exactly the same general conclusions that I have on the origin of species."
        " Last year he sent to me a memoir on this subject, with a request that I would forward it to Sir Charles Lyell, who sent it to the"
        " Linnean Society, and it is published in the third volume of the Journal of that Society. Sir C. Lyell and Dr. Hooker, who both "
        "knew of my work--the latter having read my sketch of 1844--honoured me by thinking it advisable to publish, with Mr. Wallace's "
        "excellent memoir, some brief extracts from my manuscripts. This Abstract, which I now publish, must necessarily be imperfect. I "
        "cannot here give references and authorities for my several statements; and I must trust to the reader reposing some confidence in "
        "my accuracy. No doubt errors will have crept in, though I hope I have always been cautious in trusting to good authorities alone. "
        "I can here give only the general conclusions at which I have arrived, with a few facts in illustration, but which, I hope, in most"
        " cases will suffice. No one can feel more sensible than I do of the necessity of hereafter publishing in detail all the facts, "
        "with references, on which my conclusions have been grounded; and I hope in a future work to do this. For I am well aware that "
        "scarcely a single point is discussed in this volume on which facts cannot be adduced, often apparently leading to conclusions "
        "directly opposite to those at which I have arrived. A fair result can be obtained only by fully stating and balancing the facts "
        "and arguments on both sides of each question; and this cannot possibly be here done. I much regret that want of space prevents my "
        "having the satisfaction of acknowledging the generous assistance which I have received from very many naturalists, some of them "
        "personally unknown to me. I cannot, however, let this opportunity pass without expressing my deep obligations to Dr. Hooker, who "
        "for the last fifteen years has aided me in every possible way by his large stores of knowledge and his excellent judgment. In "
        "considering the Origin of Species, it is quite conceivable that a naturalist, reflecting on the mutual affinities of organic "
        "beings, on their embryological relations, their geographical distribution, geological succession, and other such facts, might come"
        " to the conclusion that each species had not been independently created, but had descended, like varieties, from other species. "
        "Nevertheless, such a conclusion, even if well founded, would be unsatisfactory, until it could be shown how the innumerable "
        "species inhabiting this world have been modified, so as to acquire that perfection of structure and coadaptation which most justly"
        " excites our admiration. Naturalists continually refer to external conditions, such as climate, food, etc., as the only possible "
        "cause of variation. In one very limited sense, as we shall hereafter see, this may be true; but it is preposterous to attribute to"
        " mere external conditions, the structure, for instance, of the woodpecker, with its feet, tail, beak, and tongue, so admirably "
        "adapted to catch insects under the bark of trees. In the case of the misseltoe, which draws its nourishment from certain trees, "
        "which has seeds that must be transported by certain birds, and which has flowers with separate sexes absolutely requiring the "
        "agency of certain insects to bring pollen from one flower to the other, it is equally preposterous to account for the structure of"
        " this parasite, with its relations to several distinct organic beings, by the effects of external conditions, or of habit, or of "
        "the volition of the plant itself."
    ),
    "austen": (  # Jane Austen, Pride and Prejudice, 1813
        "It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a wife. However "
        "little known the feelings or views of such a man may be on his first entering a neighbourhood, this truth is so well fixed in the "
        'minds of the surrounding families, that he is considered as the rightful property of some one or other of their daughters. "My '
        'dear Mr. Bennet," said his lady to him one day, "have you heard that Netherfield Park is let at last?" Mr. Bennet replied that he '
        'had not. "But it is," returned she; "for Mrs. Long has just been here, and she told me all about it."'
    ),
    "melville": (  # Herman Melville, Moby-Dick, 1851
        "Call me Ishmael. Some years ago--never mind how long precisely--having little or no money in my purse, and nothing particular to "
        "interest me on shore, I thought I would sail about a little and see the watery part of the world."
    ),
}
