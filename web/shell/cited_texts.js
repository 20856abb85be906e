// Web addresses of the texts that studies name as their source.
import { h } from "./dom.js";

const texts = {
  "GPT-2's positional embedding matrix is a helix": "https://www.lesswrong.com/posts/qvWP3aBDBaqXvPNhS/gpt-2-s-positional-embedding-matrix-is-a-helix",
  "The positional embedding matrix and previous-token heads": "https://www.lesswrong.com/posts/zRA8B2FJLtTYRgie6/the-positional-embedding-matrix-and-previous-token-heads-how",
  "Insights into GPT-2's positional encodings": "https://james-simon.github.io/blog/gpt2-positional-encs",
  "Attention Is All You Need": "https://arxiv.org/abs/1706.03762",
  "C. Olsson et al., 2022": "https://arxiv.org/abs/2209.11895",
  "Holtzman et al. 2020": "https://arxiv.org/abs/1904.09751",
  "RoFormer": "https://arxiv.org/abs/2104.09864",
  "Language Models are Unsupervised Multitask Learners": "https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf",
  "mechramc/Orion": "https://github.com/mechramc/Orion",
};

const toText = (/** @type {string} */ title, /** @type {string} */ url) => h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, title);

/** Links to all of them, separated by semicolons. */
export const citedTexts = () => Object.entries(texts).flatMap(([title, url], i) => [...(i ? ["; "] : []), toText(title, url)]);

/**
 * A source as printed, with a link for each text that is on the web.
 * @param {string} source
 */
export function linked(source) {
  const found = Object.entries(texts).map(([title, url]) => ({ title, url, at: source.indexOf(title) })).filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at);
  /** @type {(Node | string)[]} */
  const parts = [];
  let done = 0;
  for (const { title, url, at } of found) {
    parts.push(source.slice(done, at), toText(title, url));
    done = at + title.length;
  }
  return [...parts, source.slice(done)];
}
