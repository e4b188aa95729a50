// What htmx leaves to the page: where the reader is after a part of it was replaced, and what happens when none came.
// Every link works without this file and without htmx.
(() => {
  "use strict";
  let before = 0;

  const items = (list) => list.querySelectorAll(":scope > li");

  document.addEventListener("htmx:beforeSwap", (event) => {
    before = items(event.detail.target).length;
  });

  document.addEventListener("htmx:afterSettle", (event) => {
    const { target, requestConfig } = event.detail;
    if (target.matches("ol, ul") && items(target).length > before) {
      // A list that became longer: go on reading with the first of what is new.
      items(target)[before].querySelector("a")?.focus({ preventScroll: true });
    } else if (!requestConfig.elt.isConnected && document.activeElement === document.body) {
      // What was pressed is gone, and nothing has its name: the heading of what is new says what happened.
      document.querySelector("[data-landing]")?.focus({ preventScroll: true });
    }
  });

  // On a telephone not all tabs fit: the one that is open is seen.
  const showTab = () => {
    const tab = document.querySelector(".tabs [aria-current]");
    if (tab) tab.parentElement.scrollLeft = tab.offsetLeft - tab.parentElement.offsetLeft - 24;
  };
  showTab();
  document.addEventListener("htmx:afterSettle", showTab);

  // An answer that cannot be put into this page, or none at all: the browser goes there, and shows what there is.
  for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout", "htmx:swapError"]) {
    document.addEventListener(name, (event) => {
      const { requestConfig } = event.detail;
      if (requestConfig?.verb === "get") window.location.assign(requestConfig.path);
    });
  }
})();
