// An address that leads to a place of a captured page (`#comment-7`) leads there in the frame that shows it. Without this
// file the page is seen from its beginning.
(() => {
  "use strict";
  const shown = document.querySelector("iframe")?.getAttribute("src");

  function follow() {
    const frame = document.querySelector("iframe");
    const wanted = shown + window.location.hash;
    if (!frame || frame.getAttribute("src") === wanted) return;
    // Another frame, not another address of this one: that would be one more step on the way back.
    const other = frame.cloneNode();
    other.setAttribute("src", wanted);
    frame.replaceWith(other);
  }

  if (!shown) return;
  window.addEventListener("hashchange", follow);
  follow();
})();
