// The formulas of the studies' notes and how each is meant to be read, in the notation of `said`: {a // b} is a fraction, √{a}
// a root, a_{b} and a^{b} what is below and above.

/** A parsed part of a formula as one line of text. */
export function said(part) {
  const { name, children } = part, [first, second] = children;
  const all = () => children.filter((child) => child.name !== "mspace").map(said).join(" ");
  switch (name) {
    case "mfrac": return `{${said(first)} // ${said(second)}}`;
    case "msup": return `${said(first)}^{${said(second)}}`;
    case "msub": return `${said(first)}_{${said(second)}}`;
    case "msqrt": return `√{${all()}}`;
    case "mrow": return all();
    default: return first;
  }
}

/** MathML as the page made it, in the same notation. Runs in the page, so it uses nothing from outside. */
export function saidElement(element) {
  const parts = () => [...element.children].filter((child) => child.localName !== "mspace").map((child) => saidElement(child));
  switch (element.localName) {
    case "mfrac": return `{${parts().join(" // ")}}`;
    case "msup": return `${parts()[0]}^{${parts()[1]}}`;
    case "msub": return `${parts()[0]}_{${parts()[1]}}`;
    case "msqrt": return `√{${parts().join(" ")}}`;
    case "mrow": case "math": return parts().join(" ");
    default: return element.textContent;
  }
}

/** With N for each number, because many are those of a result. */
export const withoutNumbers = (text) => text.replace(/\s+/g, " ").replace(/\d[\d,.]*\d|\d/g, "N");

/** Each statement of each study's equations, and its structure. */
export const meant = {
  "capture(j) = Σᵢ (v_j · uᵢ)²": "capture ( j ) = Σ_{i} ( v_{j} · u_{i} )^{2}",
  "i ≤ k": "i ≤ k",
  "change = |y − y_shuffled| / |y|": "change = {| y − y_{shuffled} | // | y |}",
  "|e + p|² = |e|² + |p|² + 2 e·p": "| e + p |^{2} = | e |^{2} + | p |^{2} + 2 e · p",
  "|p| = √(Σⱼ p_j²)": "| p | = √{Σ_{j} p_{j}^{2}}",
  "P = Σᵢ σᵢ uᵢ vᵢᵀ": "P = Σ_{i} σ_{i} u_{i} v_{i}^{T}",
  "participation = (Σ v_j²)² / Σ v_j^4": "participation = {( Σ v_{j}^{2} )^{2} // Σ v_{j}^{4}}",
  "overlap(i, j) = (aᵢ · bⱼ)²": "overlap ( i , j ) = ( a_{i} · b_{j} )^{2}",
  "Σⱼ overlap(i, j) = 1": "Σ_{j} overlap ( i , j ) = 1",
  "p(next) ∝ exp(logit / temperature), cut to the top k and to the top p": "p ( next ) ∝ exp ( {logit // temperature} ) , cut to the top k and to the top p",
  "left(g) = (x_g − x_none) / (x_own − x_none)": "left ( g ) = {x_{g} − x_{none} // x_{own} − x_{none}}",
  "‖W_OV W_K‖ / (‖W_OV‖ ‖W_K‖)": "{‖ W_{OV} W_{K} ‖ // ‖ W_{OV} ‖ ‖ W_{K} ‖}",
  "moved = ‖y − x‖ / max(‖x‖, ‖y‖)": "moved = {‖ y − x ‖ // max ( ‖ x ‖ , ‖ y ‖ )}",
  "‖Δe + Δp‖² = ‖Δe‖² + ‖Δp‖² + 2 Δe · Δp": "‖ Δ e + Δ p ‖^{2} = ‖ Δ e ‖^{2} + ‖ Δ p ‖^{2} + 2 Δ e · Δ p",
  "d(A, B) = (‖A − B‖) / (‖A‖ + ‖B‖ + ‖A − B‖)": "d ( A , B ) = {‖ A − B ‖ // ‖ A ‖ + ‖ B ‖ + ‖ A − B ‖}",
  "sine = sin(p / L^(2i/d))": "sine = sin ( {p // L^{{2 i // d}}} )",
  "cosine = cos(p / L^(2i/d))": "cosine = cos ( {p // L^{{2 i // d}}} )",
  "PE(p, 2i) = sin(p / L^(2i/d))": "PE ( p , 2 i ) = sin ( {p // L^{{2 i // d}}} )",
  "L = 10000": "L = 10000",
  "d = 768": "d = 768",
  "PE(p + 1) = M_k PE(p)": "PE ( p + 1 ) = M_{k} PE ( p )",
  "|PE(p)| = √(d/2) = 19.5959": "| PE ( p ) | = √{{d // 2}} = 19.5959",
  "cos(p, p + 1) = 0.96849": "cos ( p , p + 1 ) = 0.96849",
  "parameters = (V + T) d + n (12 d² + 13 d) + 2 d": "parameters = ( V + T ) d + n ( 12 d^{2} + 13 d ) + 2 d",
  "ratio = second-largest mean diagonal / largest mean diagonal": "ratio = {second-largest mean diagonal // largest mean diagonal}",
  "row(p) ≈ mean + Σ score(p, i) · axis(i)": "row ( p ) ≈ mean + Σ score ( p , i ) · axis ( i )",
  "explained = (λ₁ + λ₂ + λ₃) / Σλ = 91.06 %": "explained = {λ_{1} + λ_{2} + λ_{3} // Σ λ} = 91.06 %",
  "p_l = softmax(W · ln_f(x_l))": "p_{l} = softmax ( W · ln_{f} ( x_{l} ) )",
  "H_l = −Σ p_l ln p_l": "H_{l} = − Σ p_{l} ln p_{l}",
  "a_k = h": "a_{k} = h",
  "a_j = (1 − h) (c_j / Σᵢ cᵢ)": "a_{j} = ( 1 − h ) ( {c_{j} // Σ_{i} c_{i}} )",
  "i ≠ k": "i ≠ k",
  "h = μ + pos + ctx + rest": "h = μ + pos + ctx + rest",
  "stable rank = ‖pos‖² / σ₁²": "stable rank = {‖ pos ‖^{2} // σ_{1}^{2}}",
  "E_l(i) = x_l(i) − mean_i x_l(i)": "E_{l} ( i ) = x_{l} ( i ) − mean_{i} x_{l} ( i )",
  "cos θ_k = σ_k(U_Pᵀ U_E)": "cos θ_{k} = σ_{k} ( U_{P}^{T} U_{E} )",
  "θ_k = arccos σ_k(U_iᵀ U_j)": "θ_{k} = arccos σ_{k} ( U_{i}^{T} U_{j} )",
  "k ≤ min(d_i, d_j)": "k ≤ min ( d_{i} , d_{j} )",
  "dispersion = Σ θ / (90° · min(d_i, d_j))": "dispersion = {Σ θ // 90 ° · min ( d_{i} , d_{j} )}",
  "λ > σ² (1 + √(D/N))²": "λ > σ^{2} ( 1 + √{{D // N}} )^{2}",
  "Q = (a − b) / (b − c)": "Q = {a − b // b − c}",
  "s(i, j) = q_i · k_j / √d_head": "s ( i , j ) = {q_{i} · k_{j} // √{d_{head}}}",
  "q_i = W_Q ln_1(p_i) + b_Q": "q_{i} = W_{Q} ln_{1} ( p_{i} ) + b_{Q}",
  "k_j = W_K ln_1(p_j) + b_K": "k_{j} = W_{K} ln_{1} ( p_{j} ) + b_{K}",
  "s(i, j) √d_head = x_i W_Q W_Kᵀ x_jᵀ + x_i W_Q b_Kᵀ + b_Q W_Kᵀ x_jᵀ + b_Q b_Kᵀ": "s ( i , j ) √{d_{head}} = x_{i} W_{Q} W_{K}^{T} x_{j}^{T} + x_{i} W_{Q} b_{K}^{T} + b_{Q} W_{K}^{T} x_{j}^{T} + b_{Q} b_{K}^{T}",
  "s(i, j) √d_head = (q_i^p + q_i^t + q_i^c) · (k_j^p + k_j^t + k_j^c)": "s ( i , j ) √{d_{head}} = ( q_{i}^{p} + q_{i}^{t} + q_{i}^{c} ) · ( k_{j}^{p} + k_{j}^{t} + k_{j}^{c} )",
  "c_h = (x_h − mean(x_h)) · w / s": "c_{h} = {( x_{h} − mean ( x_{h} ) ) · w // s}",
  "w = g (u_a − u_b)": "w = g ( u_{a} − u_{b} )",
  "k_j = b + Σ_c k_c(j)": "k_{j} = b + Σ_{c} k_{c} ( j )",
  "composition = ‖W_OV W_K‖ / (‖W_OV‖ ‖W_K‖)": "composition = {‖ W_{OV} W_{K} ‖ // ‖ W_{OV} ‖ ‖ W_{K} ‖}",
  "H = −Σ p ln p": "H = − Σ p ln p",
  "H = −Σ p ln p = 4.123 nats": "H = − Σ p ln p = 4.123 nats",
  "s_t = −ln p_t(x_t)": "s_{t} = − ln p_{t} ( x_{t} )",
  "mean = Σ s_t / (n − 1)": "mean = {Σ s_{t} // n − 1}",
  "perplexity = exp(mean)": "perplexity = exp ( mean )",
  "KL = Σ p ln(p / q)": "KL = Σ p ln ( {p // q} )",
  "p = σ / Σσ": "p = {σ // Σ σ}",
  "effective rank = exp(H) = 26.15": "effective rank = exp ( H ) = 26.15",
  "p = softmax(W · ln_f(x) / T)": "p = softmax ( {W · ln_{f} ( x ) // T} )",
  "T = 1": "T = 1",
  "bit_b(p) = 1  where  −sin(2π (p + 1/2) / 2^(b + 1)) > 0": "bit_{b} ( p ) = 1 where − sin ( {2 π ( p + {1 // 2} ) // 2^{b + 1}} ) > 0",
  "point(t) = (e_t − m) · (v₁, v₂, v₃)": "point ( t ) = ( e_{t} − m ) · ( v_{1} , v_{2} , v_{3} )",
  "(R_m q) · (R_n k) = q · (R_d k)": "( R_{m} q ) · ( R_{n} k ) = q · ( R_{d} k )",
  "d = n − m": "d = n − m",
  "cos(p, q) = (P_p · P_q) / (|P_p| |P_q|)": "cos ( p , q ) = {P_{p} · P_{q} // | P_{p} | | P_{q} |}",
  "share = I_x((n + 1) / 2, 1/2)": "share = I_{x} ( {n + 1 // 2} , {1 // 2} )",
  "x = 1 − (d / 2r)²": "x = 1 − ( {d // 2 r} )^{2}",
  "shell = 1 − (1 − ε)^n": "shell = 1 − ( 1 − ε )^{n}",
  "x₀ = wte[id] + wpe[position]": "x_{0} = wte [ id ] + wpe [ position ]",
  "x₀ = wte[id] + wpe[position] = wte[464] + wpe[0]": "x_{0} = wte [ id ] + wpe [ position ] = wte [ 464 ] + wpe [ 0 ]",
  "y(p) ≈ c + A sin(2π f p / n + φ)": "y ( p ) ≈ c + A sin ( {2 π f p // n} + φ )",
  "R² = 1 − Σ(y − fit)² / Σ(y − mean)²": "R^{2} = 1 − {Σ ( y − fit )^{2} // Σ ( y − mean )^{2}}",
  "S = q·kᵀ / √d_head": "S = {q · k^{T} // √{d_{head}}}",
  "S = −∞ where key > query": "S = − ∞ where key > query",
  "A = softmax(q·kᵀ / √d_head)": "A = softmax ( {q · k^{T} // √{d_{head}}} )",
  "A = 0 where key > query": "A = 0 where key > query",
};
