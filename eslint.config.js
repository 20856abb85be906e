// The rules for JavaScript: those that find faults, none that is a matter of taste. `./dev lint` applies them.
import js from "@eslint/js";
import globals from "globals";

const rules = {
  ...js.configs.recommended.rules,
  "array-callback-return": "error",
  "consistent-return": "off",
  "eqeqeq": ["error", "always", { null: "ignore" }],
  "no-constructor-return": "error",
  "no-empty": "error", // also an empty catch: a comment in it says why nothing is done
  "no-implicit-globals": "error",
  "no-promise-executor-return": "off",
  "no-self-compare": "error",
  "no-shadow": ["error", { builtinGlobals: false }],
  "no-template-curly-in-string": "error",
  "no-throw-literal": "error",
  "no-unmodified-loop-condition": "error",
  "no-unreachable-loop": "error",
  "no-unused-expressions": ["error", { allowShortCircuit: true, allowTernary: true }],
  "no-unused-private-class-members": "off", // it does not see that ||= reads
  "no-unused-vars": ["error", { ignoreRestSiblings: true, argsIgnorePattern: "^_" }],
  "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
  "no-useless-return": "error",
  "no-var": "error",
  "prefer-const": "error",
  "prefer-promise-reject-errors": "error",
  "require-atomic-updates": "off",
};

// In the tests, a variable named like a hook of node:test ("before") hides nothing that is meant.
const testRules = { ...rules, "no-shadow": "off" };

// Runs before the page knows which syntax the browser understands: a script, in the oldest one.
const bootRules = { ...rules, "no-var": "off", "prefer-const": "off", "no-unused-vars": ["error", { caughtErrors: "none" }] };

export default [
  { ignores: ["build/", "**/node_modules/"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  { files: ["web/**/*.js"], ignores: ["web/start/boot.js"], languageOptions: { globals: { ...globals.browser, helixscopeBoot: "readonly" } }, rules },
  { files: ["web/**/*worker.js"], languageOptions: { globals: globals.serviceworker }, rules },
  { files: ["web/start/boot.js"], languageOptions: { ecmaVersion: 5, sourceType: "script", globals: { ...globals.browser, Uint8Array: "readonly" } }, rules: bootRules },
  // A function in a browser test may run in the page, so a test knows both worlds.
  { files: ["tests/**/*.mjs"], languageOptions: { globals: { ...globals.node, ...globals.browser, helixscope: "readonly" } }, rules: testRules },
  { files: ["tools/**/*.mjs", "*.js"], languageOptions: { globals: globals.node }, rules },
];
