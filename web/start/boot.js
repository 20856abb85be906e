// Runs in any browser, before everything else: where the page cannot work, it shows the reason and a picture instead of
// controls that do nothing. Deliberately a classic script in old syntax, so that old browsers can run it.
(function () {
  "use strict";
  var root = document.documentElement;
  root.setAttribute("data-booted", ""); // without this mark the page shows its static part: this script has not arrived
  var patience = 20000; // milliseconds after which a page that has not started says so

  // A function that returns i32x4.splat of 0: only engines with SIMD accept it.
  var simdProbe = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 17, 11];

  function element(/** @type {string} */ id) {
    return /** @type {HTMLElement} */ (document.getElementById(id));
  }

  /** Starts no worker, so that the options of one can be tried. */
  var nowhere = "http://[";

  /** Trusted Types: the only way for markup and for addresses of scripts into the page. It passes the program's drawings and the page's own files. */
  function makePolicy() {
    if (!window.trustedTypes) return undefined;
    var folder = new URL("./", document.baseURI).href;
    return window.trustedTypes.createPolicy("helixscope", {
      createHTML: function (markup) {
        if (!/^<svg[\s>]/.test(markup) || /<script/i.test(markup)) throw new TypeError("This markup is no drawing.");
        return markup; // the program has escaped the texts in it
      },
      createScriptURL: function (address) {
        var own = address.indexOf(folder) === 0 || address.indexOf("blob:") === 0; // blobs: the page in one file, whose policy allows them
        if (!own && address !== nowhere) throw new TypeError("This script is not the page's.");
        return address;
      },
    });
  }
  window.helixscopeTrusted = makePolicy();

  function hasModuleWorkers() {
    var asked = false, trusted = window.helixscopeTrusted;
    try {
      // Only a browser that supports the option reads it.
      new Worker(trusted ? trusted.createScriptURL(nowhere) : nowhere, /** @type {WorkerOptions} */ ({ get type() { asked = true; return "module"; } }));
    } catch (e) { /* always thrown, after the option was read */ }
    return asked;
  }

  function missing() {
    if (!("noModule" in document.createElement("script"))) return "JavaScript modules";
    if (!window.WebAssembly || !WebAssembly.validate) return "WebAssembly";
    if (!WebAssembly.validate(new Uint8Array(simdProbe))) return "WebAssembly with SIMD";
    if (!window.Worker) return "web workers";
    if (!hasModuleWorkers()) return "web workers that load modules";
    // What the page needs besides, all browsers with the above have, but for these. What is newer, it does without.
    if (![].at || !Object.hasOwn || !window.structuredClone) return "newer parts of JavaScript";
    if (!window.HTMLDialogElement || !HTMLDialogElement.prototype.showModal) return "newer parts of web pages";
    return "";
  }

  /** The static page in place of the live one. `again`: whether a reload may help. */
  function plain(/** @type {string} */ sentence, /** @type {boolean} */ again) {
    var show = function () {
      element("plain-why").textContent = sentence;
      element("plain-again").hidden = !again;
      element("plain").hidden = false;
      root.setAttribute("data-plain", again ? "again" : "never");
    };
    whenRead(show);
  }

  function buildOf(/** @type {string} */ page) {
    var found = /<meta name="helixscope-build" content="([0-9a-f]+)"/.exec(page);
    return found ? found[1] : "";
  }

  /** After a failure: says so if the page on its server is another version by now, whose files have other names. */
  function lookForNewer() {
    var own = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=helixscope-build]"));
    var mine = own ? own.content : "";
    if (!mine || !window.fetch || location.protocol === "file:") return;
    fetch(location.pathname, { cache: "no-cache" }).then(function (answer) { return answer.ok ? answer.text() : ""; }).then(function (page) {
      var build = buildOf(page);
      if (build && build !== mine && root.hasAttribute("data-plain"))
        plain("This page has been updated on its server, and parts of this older version are gone. Try again to get the new one; your view stays.", true);
    }, function () { /* offline: the sentence that stands there is right */ });
  }

  /** Calls back when the whole page has been read. */
  function whenRead(/** @type {() => void} */ act) {
    if (document.getElementById("plain")) act();
    else document.addEventListener("DOMContentLoaded", act);
  }

  var live = false; // the page has started

  /** The page itself reports that it has started, or that it could not. */
  window.helixscopeBoot = {
    unfit: missing(),
    started: function () {
      live = true;
      clearTimeout(timer);
      if (!root.hasAttribute("data-plain")) return;
      root.removeAttribute("data-plain"); // it has started after all
      element("plain").hidden = true;
    },
    failed: function (sentence) { clearTimeout(timer); plain(sentence, true); lookForNewer(); }
  };

  whenRead(function () { // the style hides it too, earlier; but the style may be missing
    if (!root.hasAttribute("data-plain")) element("plain").hidden = true;
  });

  var timer = 0;
  if (window.helixscopeBoot.unfit) {
    plain("This browser lacks " + window.helixscopeBoot.unfit + ", which helixscope needs to compute. Recent browsers have it: "
      + "Chrome or Edge 98, Firefox 114, Safari 16.4, or newer.", false);
    return;
  }
  timer = setTimeout(function () {
    plain("The page is still loading after 20 seconds; the connection may have stalled. It goes on by itself when the rest arrives.", true);
  }, patience);
  window.addEventListener("error", function (event) { // a script of the page could not be loaded
    if (event.target && /** @type {Element} */ (event.target).tagName === "SCRIPT")
      window.helixscopeBoot.failed(location.protocol === "file:"
        ? "Browsers do not run this page from a file: it has to come from a web server. In the project's folder ./dev serve starts one."
        : "A part of the page could not be loaded. Check the connection and try again.");
  }, true);
  window.addEventListener("error", function (event) { // a script of the page came, but not whole
    if (!live && event.error instanceof SyntaxError)
      window.helixscopeBoot.failed("A part of the page did not arrive whole. Check the connection and try again.");
  });
  document.addEventListener("click", function (event) {
    if (event.target && /** @type {Element} */ (event.target).id === "plain-again") location.reload();
  });
})();
