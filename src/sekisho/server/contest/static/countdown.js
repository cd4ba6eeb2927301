// Counts down to deadlines by the server's clock, and adds the reader's own local time. Without it the page says both once.
"use strict";
(function () {
  const begun = Date.now();
  function refresh() {
    for (const each of document.querySelectorAll(".countdown")) {
      const passed = Date.now() - begun;
      const left = Math.max(0, Math.floor((Date.parse(each.dataset.until) - Date.parse(each.dataset.now) - passed) / 1000));
      const parts = {
        "{d}": Math.floor(left / 86400), "{h}": Math.floor(left / 3600) % 24, "{m}": Math.floor(left / 60) % 60, "{s}": left % 60,
      };
      each.textContent = each.dataset.words.replace(/\{[dhms]\}/g, (part) => parts[part]);
      each.classList.toggle("soon", left < 3600);
    }
  }
  document.addEventListener("DOMContentLoaded", function () {
    const form = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
    for (const each of document.querySelectorAll("li.task time, dl.facts time")) {
      const local = document.createElement("span");
      local.className = "muted local";
      local.textContent = " (" + form.format(new Date(each.dateTime)) + ")";
      each.after(local);
    }
    refresh();
    setInterval(refresh, 1000);
  });
})();
