// The hashes by which a model that claims are about is recognised, whatever its files are called.
#pragma once

#include <array>
#include <string_view>

namespace helix::studies {

/// A tensor of GPT-2 small and the first digits of its SHA-256, as OpenAI's 32-bit floats and rounded to 16 bits.
struct KnownTensor {
  std::string_view name, f32, f16;
};

/// Small ones first: they are the ones that are hashed where a study has read none of the others.
inline constexpr std::array<KnownTensor, 51> kGpt2SmallTensors{{
    {"ln_f.bias", "3101f7c89d398574", "713ba590c19c5b3f"},
    {"ln_f.weight", "0179316b9de281fc", "50c88c2ce58abc44"},
    {"h.0.ln_1.weight", "87c92a5f0409ab2a", "697d9ccf5761b71e"},
    {"h.0.ln_2.weight", "b9e28ffbdfcac5b5", "1a51b9ec1e88e4f7"},
    {"h.1.ln_1.weight", "9614528015a8b5dc", "87dc6a5904765e17"},
    {"h.1.ln_2.weight", "b01fbb6df507a3eb", "b1348357385fa768"},
    {"h.2.ln_1.weight", "0191be1336ee8c22", "5304ce82a897f908"},
    {"h.2.ln_2.weight", "b1d71d7ca62a19a3", "eb1c5390db1ecc8a"},
    {"h.3.ln_1.weight", "5c645e3ef0c24059", "c6433fa982df3555"},
    {"h.3.ln_2.weight", "b75ae3bd11256b16", "4cb7cb51cb55d0f9"},
    {"h.4.ln_1.weight", "bf129fef6b6628f0", "94cebff24b4b52a5"},
    {"h.4.ln_2.weight", "7a9f0e04c79ad95e", "bc7d496e07c13866"},
    {"h.5.ln_1.weight", "d5ed450453b2a76c", "c6eaf1687a0145b6"},
    {"h.5.ln_2.weight", "bc0e51c254f443b5", "e120b6d0e63ef887"},
    {"h.6.ln_1.weight", "8b2236a1d2958360", "7838db4bcf2791cc"},
    {"h.6.ln_2.weight", "b6a44d99d843df8f", "b6dd1dd5f9687288"},
    {"h.7.ln_1.weight", "dee0061336b027e6", "676d111ac3bd89d7"},
    {"h.7.ln_2.weight", "5963fa68c304222f", "73bbb31993eebef2"},
    {"h.8.ln_1.weight", "86c20d0ff9b523c8", "fc3ebec7131dc96b"},
    {"h.8.ln_2.weight", "2df2d5283d9e81dc", "a94659fe6760dc0c"},
    {"h.9.ln_1.weight", "a388be1c285b378c", "7dd511acda8382a3"},
    {"h.9.ln_2.weight", "21187e2fb37e9d5b", "374f1ba92dbd950c"},
    {"h.10.ln_1.weight", "9bb50ac0614875e3", "bde3af3906ecd28b"},
    {"h.10.ln_2.weight", "3605b6e73b6764e8", "94543f0c9b5d66d1"},
    {"h.11.ln_1.weight", "829592908c2c2d4f", "705361fb27d9edeb"},
    {"h.11.ln_2.weight", "2da7a8debd3bf751", "6ba32534805b1dae"},
    {"wpe.weight", "29c69587e2af826b", "f123567f9e0e8062"},
    {"h.0.attn.c_attn.weight", "df332e9d9ae908db", "5e734a2edee24f93"},
    {"h.0.attn.c_proj.weight", "e13178678e8c1e59", "b763a9486b36590c"},
    {"h.1.attn.c_attn.weight", "17cadf5370083f5d", "a46747206147450e"},
    {"h.1.attn.c_proj.weight", "a6a27ec95bbc643c", "10b982603aa49b63"},
    {"h.2.attn.c_attn.weight", "c5702a21258404c3", "6668443c21852de3"},
    {"h.2.attn.c_proj.weight", "04f8d1bf3b60fc1d", "f8a2b20db9351ffc"},
    {"h.3.attn.c_attn.weight", "a85a482eb972a893", "f99afaa63b369167"},
    {"h.3.attn.c_proj.weight", "d93f68892a300c6e", "c0b7d4074b104fc9"},
    {"h.4.attn.c_attn.weight", "e999b277552708af", "0ff26efe9cc40f9f"},
    {"h.4.attn.c_proj.weight", "fd4832c3b53e2e50", "20b9a54531174ed1"},
    {"h.5.attn.c_attn.weight", "0d734b6b25037805", "b7d60ae0959bd554"},
    {"h.5.attn.c_proj.weight", "f70cda4ea74169e2", "d920db32beb4ee85"},
    {"h.6.attn.c_attn.weight", "2e2aa09354477f74", "9b94adbf2f30691e"},
    {"h.6.attn.c_proj.weight", "708fe340f34bf3e5", "ac7d69ff3c7a487a"},
    {"h.7.attn.c_attn.weight", "c101117c479f6d52", "62ebab7a9792037e"},
    {"h.7.attn.c_proj.weight", "ba453997dadc8709", "28d2f61f78cccd0d"},
    {"h.8.attn.c_attn.weight", "460fa88fd47022f0", "bbd43d6e4028fe57"},
    {"h.8.attn.c_proj.weight", "214802a449991cc6", "d4997d133c147b28"},
    {"h.9.attn.c_attn.weight", "1c4d50c6b3e7c625", "d5c92a171fa7d65e"},
    {"h.9.attn.c_proj.weight", "b6716a7af12ccf45", "6abd32f4ba1b0a40"},
    {"h.10.attn.c_attn.weight", "b43d111a3f0cee2c", "e4e04d0e03d75eec"},
    {"h.10.attn.c_proj.weight", "7a6473a5c23cf4ef", "45c11d19b10a3410"},
    {"h.11.attn.c_attn.weight", "b4fc281ff5bf255d", "44e3fb4fdf8d1913"},
    {"h.11.attn.c_proj.weight", "be2b175618150081", "3ce5d32877da31b3"},
}};

/// Read where nothing else that a study reads is in the list: 3 kB.
inline constexpr const char* kFingerprint = "ln_f.weight";

}  // namespace helix::studies
