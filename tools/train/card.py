"""The model card: numbers measured on the exported files, and the text that reports them."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Dict, List, Tuple

import numpy as np
import torch

import safetensors_file
import schedule
import score_text
import scores
import snapshots
from corpus import Corpus
from emergence import SHIPPED_RANK, read_snapshots
from gpt2 import Gpt2, Shape, from_checkpoint
from precision import Precision
from journal import say

TEMPLATE = Path(__file__).with_name("card.md")
PROMPTS = ("The old house stood", "“I do not know,” said", "In the morning they")
SAMPLE = {"tokens": 80, "temperature": 0.8, "among": 40}
CHECKED_TOKENS = 8192  # how many the independent script scores; it takes a second for about 200
TOLERANCE = 0.02  # nats per token between the two programs: the trainer's products are bf16


def shipped(folder: Path, shape: Shape, precision: Precision) -> Gpt2:
    """The network with the weights of the exported file."""
    model = Gpt2(shape, 0)
    tensors = safetensors_file.read(folder / "model.safetensors")
    missing, extra = model.load_state_dict(from_checkpoint(tensors), strict=False)
    if missing or extra:
        raise ValueError(f"{folder}/model.safetensors: {missing} missing, {extra} not known")
    return model.to(precision.device)


def measure(run: Path, folder: Path, state: Dict[str, dict], corpus: Corpus) -> Tuple[Dict[str, object], snapshots.Row]:
    """All numbers of the card, measured on the files in `folder`, and the snapshot of that model."""
    config, precision = state["config"], Precision(*state["precision"])
    model = shipped(folder, Shape(**config["model"]), precision)
    last = snapshots.look(model, corpus, config, precision)
    rows = [*read_snapshots(run / "snapshots"), last]
    with precision.products():
        facts = {
            "config": config,
            "data": corpus.facts,
            "training": training(state),
            "held_out": held_out(model, corpus, config),
            "heads": heads(model, corpus, config),
            "wpe": scores.shape_of(model.wpe.weight.detach().cpu().numpy()),
            "samples": samples(model, corpus),
            "snapshots": [figures(row) for row in rows],
        }
        facts["check"] = check(model, corpus, run, folder)
        facts["whole_wpe"] = whole_wpe(model, state, corpus, config)
    return facts, last


def whole_wpe(model: Gpt2, state: Dict[str, dict], corpus: Corpus, config: Dict[str, dict]) -> Dict[str, float]:
    """The same model with the full trained `wpe`: its loss on the held-out books, and the numbers of its `wpe`."""
    rows = state["mean"]["wpe.weight"]
    model.wpe.weight.data.copy_(rows)
    return {"held_out": held_out(model, corpus, config)["loss_per_token"], **scores.shape_of(rows.numpy())}


def training(state: Dict[str, dict]) -> Dict[str, object]:
    batch = state["config"]["batch"]
    return {
        "steps": state["step"],
        "of_steps": schedule.total_steps(state["config"]),
        "tokens": state["step"] * batch["tokens"],
        "loss": state["recent_loss"],
        "wall_hours": state["seconds"]["wall"] / 3600,
        "cpu_hours": state["seconds"]["cpu"] / 3600,
        "started_at_steps": state["starts"],
        "device": state["precision"][0],
        "format": state["precision"][1],
        "parameters": sum(weight.numel() for weight in state["weights"].values()),
    }


def held_out(model: Gpt2, corpus: Corpus, config: Dict[str, dict]) -> Dict[str, float]:
    """The loss on all of the held-out books."""
    say("scoring the held-out books")
    tokens, targets = scores.pieces(corpus.held_out, model.shape.n_ctx, corpus.tokenizer.end_of_text)
    loss = snapshots.mean_loss(model, tokens, targets, config["batch"]["at_once"])
    return per_unit(loss, targets, corpus)


def per_unit(loss: float, targets: np.ndarray, corpus: Corpus) -> Dict[str, float]:
    """Converts a loss per token to losses per character and per byte of the measured text [sequence, pos]."""
    ids = targets[targets != corpus.tokenizer.end_of_text].tolist()
    data = corpus.tokenizer.bytes_of(ids)
    # A byte that continues a character is 0b10xxxxxx; the others are characters.
    characters = int((np.frombuffer(data, np.uint8) & 0xC0 != 0x80).sum())
    return {
        "tokens": targets.size,
        "characters": characters,
        "bytes": len(data),
        "loss_per_token": loss,
        "loss_per_character": loss * targets.size / characters,
        "loss_per_byte": loss * targets.size / len(data),
    }


def heads(model: Gpt2, corpus: Corpus, config: Dict[str, dict]) -> Dict[str, List[List[float]]]:
    """Scores [layer][head], measured as in the snapshots but on more text."""
    end = corpus.tokenizer.end_of_text
    count = 4 * config["snapshots"]["score_sequences"]
    text, _ = scores.pieces(corpus.held_out, model.shape.n_ctx, end)
    text = scores.spread(text, count)
    noise = scores.repeated(count, min(128, model.shape.n_ctx // 2), end, snapshots.SEED + 1)
    return {
        "previous": snapshots.head_scores(model, text, scores.previous_token).tolist(),
        "induction": snapshots.head_scores(model, noise, scores.induction).tolist(),
    }


def samples(model: Gpt2, corpus: Corpus) -> List[Dict[str, object]]:
    return [
        {"seed": seed, "prompt": prompt, "text": continued(model, corpus, prompt, seed)}
        for seed, prompt in enumerate(PROMPTS, 1)
    ]


def continued(model: Gpt2, corpus: Corpus, prompt: str, seed: int) -> str:
    """What the model writes after `<|endoftext|>` and the prompt."""
    draw = torch.Generator().manual_seed(seed)
    ids = [corpus.tokenizer.end_of_text, *corpus.tokenizer.encode(prompt)]
    first = torch.zeros(1, dtype=torch.long, device=model.wte.weight.device)
    for _ in range(min(SAMPLE["tokens"], model.shape.n_ctx - len(ids))):
        with torch.no_grad():
            logits = model(torch.tensor([ids], device=first.device), first)[0, -1].float().cpu()
        best, which = torch.topk(logits / SAMPLE["temperature"], min(SAMPLE["among"], len(logits)))
        ids.append(int(which[torch.multinomial(torch.softmax(best, 0), 1, generator=draw)]))
    return corpus.tokenizer.decode(ids[1:])


def figures(row: Dict[str, np.ndarray]) -> Dict[str, float]:
    return {name: float(value) for name, value in row.items() if value.ndim == 0}


def check(model: Gpt2, corpus: Corpus, run: Path, folder: Path) -> Dict[str, float]:
    """The same tokens scored by the independent script; raises ValueError when the two disagree."""
    say(f"scoring {CHECKED_TOKENS} tokens again, by score_text.py")
    theirs = score_text.score(folder, (run / "data" / "held_out.txt").read_text(encoding="utf-8"), CHECKED_TOKENS)
    tokens, targets = scores.pieces(corpus.held_out[:CHECKED_TOKENS], model.shape.n_ctx, corpus.tokenizer.end_of_text)
    ours = per_unit(snapshots.mean_loss(model, tokens, targets, CHECKED_TOKENS), targets, corpus)
    same = all(ours[name] == theirs[name] for name in ("tokens", "characters", "bytes"))
    if not same or abs(ours["loss_per_token"] - theirs["loss_per_token"]) > TOLERANCE:
        raise ValueError(f"The independent script finds {theirs}, the trainer {ours}")
    return {"tokens": theirs["tokens"], "loss_per_token": theirs["loss_per_token"], "trainer": ours["loss_per_token"]}


def text(facts: Dict[str, dict]) -> str:
    """README.md of the model folder."""
    template = string.Template(TEMPLATE.read_text(encoding="utf-8"))
    return template.substitute(phrases(facts))


def phrases(facts: Dict[str, dict]) -> Dict[str, str]:
    """The values of the template's variables."""
    config, data, training_ = facts["config"], facts["data"], facts["training"]
    shape, batch, loss = config["model"], config["batch"], facts["held_out"]
    whole = training_["steps"] == training_["of_steps"]
    return {
        **{name: str(value) for name, value in shape.items()},
        "parameters": f"{training_['parameters'] / 1e6:.2f} million",
        "books": str(data["train"]["books"]),
        "characters": f"{data['train']['characters'] / 1e6:.0f} million",
        "all_tokens": f"{data['train']['tokens'] / 1e6:.1f} million",
        "held_out_books": "\n".join(f"- {title(name)}" for name in data["held_out_names"]),
        "steps": f"{training_['steps']:,}" + ("" if whole else f" of {training_['of_steps']:,} (not finished)"),
        "batch": f"{batch['tokens']:,}",
        "tokens": f"{training_['tokens'] / 1e6:.1f} million",
        "hours": f"{training_['wall_hours']:.1f} hours, {training_['cpu_hours']:.1f} hours of processor time",
        "pieces": pieces_of_time(training_["started_at_steps"]),
        "device": {"cpu": "a processor", "cuda": "a GPU"}[training_["device"]],
        "format": training_["format"],
        "train_loss": f"{training_['loss']:.3f}",
        "loss_per_token": f"{loss['loss_per_token']:.3f}",
        "loss_per_character": f"{loss['loss_per_character']:.3f}",
        "loss_per_byte": f"{loss['loss_per_byte']:.3f}",
        "held_out_tokens": f"{loss['tokens']:,}",
        "held_out_characters": f"{loss['characters']:,}",
        "check_tokens": f"{facts['check']['tokens']:,}",
        "check_loss": f"{facts['check']['loss_per_token']:.4f}",
        "check_trainer": f"{facts['check']['trainer']:.4f}",
        "previous": best(facts["heads"]["previous"]),
        "induction": best(facts["heads"]["induction"]),
        "previous_table": head_table(facts["heads"]["previous"]),
        "induction_table": head_table(facts["heads"]["induction"]),
        "snapshot_count": str(len(facts["snapshots"])),
        "explained": f"{100 * facts['wpe']['explained_first3']:.1f} %",
        "rank": str(SHIPPED_RANK),
        "whole_loss": f"{facts['whole_wpe']['held_out']:.4f}",
        "cut_loss": f"{loss['loss_per_token']:.4f}",
        "whole_explained": f"{100 * facts['whole_wpe']['explained_first3']:.1f} %",
        "whole_adjacent": f"{facts['whole_wpe']['adjacent_cosine']:.4f}",
        "adjacent": f"{facts['wpe']['adjacent_cosine']:.4f}",
        "adjacent_centred": f"{facts['wpe']['adjacent_cosine_centred']:.4f}",
        "samples": "\n\n".join(sample_text(sample) for sample in facts["samples"]),
        "sampling": f"temperature {SAMPLE['temperature']}, among the {SAMPLE['among']} likeliest tokens",
        **sequence_phrases(config),
    }


def sequence_phrases(config: Dict[str, dict]) -> Dict[str, str]:
    plan, rates = config["sequences"], config["optimiser"]

    def percent(share: float) -> str:
        return f"{100 * share:.0f} %"

    return {
        "short": str(plan["short"]),
        "short_until": f"{plan['short_until'] / 1e6:g} million",
        "after_end": percent(plan["starts"]["after_end_of_text"]),
        "early_until": f"{plan['early_until'] / 1e6:g} million",
        "early_text": percent(plan["copies_early"]["text"]),
        "early_random": percent(plan["copies_early"]["random"]),
        "late_text": percent(plan["copies_late"]["text"]),
        "late_random": percent(plan["copies_late"]["random"]),
        "rate": f"{rates['rate']:g}",
        "last_rate": f"{rates['last_rate']:g}",
        "warm_up": f"{rates['warm_up'] / 1e6:g} million",
        "fall_from": f"{rates['fall_from'] / 1e6:g} million",
        "again": "".join(once_more(later) + "\n  " for later in schedule.rounds(config)),
        "betas": ", ".join(str(beta) for beta in rates["betas"]),
        "weight_decay": f"{rates['weight_decay']:g}",
        "wpe_factor": f"{rates['wpe']['factor']:g}",
        "wpe_decay": f"{rates['wpe']['weight_decay']:g}",
        "mean_decay": f"{rates['mean_decay']:g}",
        "seed": str(config["seed"]),
    }


def once_more(later: dict) -> str:
    """What a later round of the rate changed."""
    text = f"at {later['from'] / 1e6:g} million tokens it went to {later['rate']:g}"
    if later["last_rate"] != later["rate"]:
        text += f" and fell from {later['fall_from'] / 1e6:g} million on to {later['last_rate']:g}"
    if copies := later.get("copies"):
        text += f", with {100 * copies['text']:.0f} % of the sequences copies of text and {100 * copies['random']:.0f} % of random tokens"
    if "weight_decay" in later:
        text += f", with a weight decay of {later['weight_decay']:g}"
    return text + ";"


def title(name: str) -> str:
    author, _, work = name.partition("__")
    return f"{author.replace('_', ' ')}, *{work.replace('_', ' ')}*" if work else name


def pieces_of_time(starts: List[int]) -> str:
    if len(starts) == 1:
        return "in one piece"
    return "continued from checkpoints at the steps " + ", ".join(f"{step:,}" for step in starts[1:])


def best(table: List[List[float]]) -> str:
    value, layer, head = max((v, i, j) for i, row in enumerate(table) for j, v in enumerate(row))
    return f"{value:.3f} (layer {layer}, head {head})"


def head_table(table: List[List[float]]) -> str:
    """A Markdown table of [layer][head]."""
    lines = ["| layer | " + " | ".join(f"head {i}" for i in range(len(table[0]))) + " |"]
    lines.append("|---" * (len(table[0]) + 1) + "|")
    lines += [f"| {i} | " + " | ".join(f"{value:.3f}" for value in row) + " |" for i, row in enumerate(table)]
    return "\n".join(lines)


def sample_text(sample: Dict[str, object]) -> str:
    """A sample as a quotation, with the prompt in bold."""
    rest = str(sample["text"])[len(str(sample["prompt"])) :]
    body = f"**{sample['prompt']}**{rest}".strip().replace("\n", "\n> ")
    return f"Seed {sample['seed']}:\n\n> {body}"
