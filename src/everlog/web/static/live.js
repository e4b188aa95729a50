// A part of the page that is asked for anew every few seconds, as long as somebody can see it. Without this file the
// page stays as it was when it was opened.
(() => {
  "use strict";
  const EVERY = 5000;
  const part = () => document.querySelector("[data-live]");

  function look() {
    if (document.visibilityState === "visible" && part()) window.htmx?.trigger(part(), "look");
  }

  // An answer that does not come takes nobody away from what was seen last.
  for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout", "htmx:swapError"]) {
    document.addEventListener(name, (event) => {
      if (!event.target.closest?.("[data-live]")) return;
      event.stopImmediatePropagation();
      const still = document.querySelector("[data-still]");
      if (still) still.textContent = "The server does not answer; this is how it was then.";
    }, true);
  }

  setInterval(look, EVERY);
  document.addEventListener("visibilitychange", look);
})();
