// Keys of the pages: / finds, j and k go through a list, ? says which keys there are. Every page works without them.
(() => {
  "use strict";
  const ITEMS = "[data-items] > li, [data-item]";
  const FIRST = "[data-open], h2 a, h3 a, a";
  const dialog = () => document.getElementById("keys");

  const isTyped = (element) =>
    element.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(element.tagName);

  const shown = () => [...document.querySelectorAll(ITEMS)].filter((item) => item.checkVisibility());

  function find(event) {
    const field = document.getElementById("address");
    if (!field) return;
    event.preventDefault();
    field.focus();
    field.select();
  }

  function explain(event) {
    if (!dialog()) return;
    event.preventDefault();
    dialog().showModal();
  }

  function go(step) {
    const items = shown();
    const here = items.findLastIndex((item) => item.contains(document.activeElement));
    if (here >= 0 && items[here + step] === undefined) {
      // Behind the last one there may be more, which come into the same list.
      if (step > 0) document.querySelector("a[rel=next][hx-boost]")?.click();
      return;
    }
    // At first: what the reader sees, not what has been scrolled away.
    const next = here >= 0 ? here + step : items.findIndex((item) => item.getBoundingClientRect().bottom > 0);
    const item = items[next];
    if (!item) return;
    const link = item.querySelector(FIRST);
    // What leads nowhere, such as an event that is of no post, is no stop of the Tab key; j and k must not end at it.
    if (!link) item.tabIndex = -1;
    (link ?? item).focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
  }

  const KEYS = { "/": find, "?": explain, j: () => go(1), k: () => go(-1) };

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTyped(event.target) || dialog()?.open) return;
    KEYS[event.key]?.(event);
  });

  // The link below every page leads to a page about the keys; here it opens the same words.
  document.addEventListener("click", (event) => {
    if (event.target.closest?.("[data-keys]") && !event.ctrlKey && !event.metaKey && !event.shiftKey) explain(event);
  });
})();
