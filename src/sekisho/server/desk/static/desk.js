// Besides forms and links, without which all works, too.
"use strict";
(() => {
 const all = (query, from = document) => [...from.querySelectorAll(query)];
 const on = (name, act) => document.addEventListener(name, act);
 const say = (text) => { const live = document.getElementById("live"); if (live && live.textContent !== text) live.textContent = text; };
 const writes = (element) => element.matches("input:not([type=radio]):not([type=checkbox]):not([type=range]), textarea, select, [contenteditable]");
 // The line that the focused control writes.
 const mark = (key) => { for (const line of all("[data-line]")) line.classList.toggle("focused", Boolean(key) && line.dataset.line === key); };
 on("focusin", (e) => mark(e.target.closest("[data-key]")?.dataset.key));
 // Sliders say their value.
 const tell = (slider) => {
  const output = document.querySelector(`output[for~="${CSS.escape(slider.id)}"]`);
  if (output) output.textContent = (slider.dataset.shown || "{n}").replace("{n}", slider.value);
  if (slider.dataset.words) slider.setAttribute("aria-valuetext", slider.dataset.words.replace("{n}", slider.value));
 };
 on("input", (e) => { if (e.target.type === "range") tell(e.target); });
 // Ctrl+Z and Ctrl+Shift+Z, unless something is being written.
 on("keydown", (e) => {
  if (!(e.ctrlKey || e.metaKey) || e.key.toLowerCase() !== "z" || writes(e.target)) return;
  const button = document.querySelector(`[data-undo="${e.shiftKey ? "redo" : "undo"}"] button:not(:disabled)`);
  if (button) { e.preventDefault(); button.click(); }
 });
 // A grid of cells: one stop of the tab key, arrows within.
 const prepare = (root) => {
  for (const grid of all("table[data-grid]", root)) {
   const cells = all("[data-cell]", grid);
   if (cells.some((cell) => cell.tabIndex === 0 && cell.dataset.ready)) continue;
   grid.setAttribute("role", "grid");
   cells.forEach((cell, at) => { cell.tabIndex = at ? -1 : 0; cell.dataset.ready = "1"; });
  }
  for (const slider of all("input[type=range]", root)) tell(slider);
  all("[data-say]", root).forEach((one) => say(one.dataset.say));
 };
 const reach = (items, to) => {
  for (const item of items) item.tabIndex = item === to ? 0 : -1;
  to.focus();
 };
 on("keydown", (e) => {
  const cell = e.target.closest("[data-cell]"), grid = cell?.closest("table[data-grid]");
  if (!grid || e.ctrlKey || e.altKey || e.metaKey) return;
  const rows = all("tr", grid).map((row) => all("[data-cell]", row)).filter((row) => row.length);
  const row = rows.findIndex((each) => each.includes(cell)), column = rows[row].indexOf(cell);
  const to = { ArrowRight: rows[row][column + 1], ArrowLeft: rows[row][column - 1], ArrowDown: rows[row + 1]?.[column],
   ArrowUp: rows[row - 1]?.[column], Home: rows[row][0], End: rows[row].at(-1) }[e.key];
  if (to) { e.preventDefault(); reach(rows.flat(), to); }
 });
 // Values of a tree: arrows go on, with Shift they choose, too; M goes to "move to", N to a new group.
 const choose = (value, on) => { const box = value.querySelector("input[type=checkbox]"); if (box) box.checked = on; };
 on("keydown", (e) => {
  const form = e.target.matches?.("[data-values] input[type=checkbox]") && e.target.closest("[data-values]");
  if (!form || e.ctrlKey || e.altKey || e.metaKey) return;
  const boxes = all("input[type=checkbox]", form), at = boxes.indexOf(e.target);
  const to = { ArrowDown: boxes[at + 1], ArrowUp: boxes[at - 1], Home: boxes[0], End: boxes.at(-1) }[e.key]
   || form.querySelector({ m: "[data-move-to]", n: "[data-new-group]" }[e.key.toLowerCase()] || "no-such");
  if (!to) return;
  if (e.shiftKey && to.type === "checkbox") to.checked = true;
  e.preventDefault(); to.focus();
 });
 on("dragstart", (e) => { const value = e.target.closest?.("[data-value]")?.dataset.value; if (value !== undefined) e.dataTransfer.setData("text/x-desk", value); });
 on("dragover", (e) => { if (e.target.closest("[data-group], [data-drop]")) e.preventDefault(); });
 on("drop", (e) => {
  const group = e.target.closest("[data-group]"), zone = e.target.closest("[data-drop]");
  const form = group?.closest("form"), value = e.dataTransfer.getData("text/x-desk");
  if (form && value) {
   e.preventDefault();
   for (const option of all("[data-value]", form)) if (option.dataset.value === value) choose(option, true);
   const select = form.querySelector("[data-move-to]");
   if (select) { select.value = group.dataset.group; form.requestSubmit(); }
  } else if (zone && e.dataTransfer.files.length) { e.preventDefault(); send(zone, e.dataTransfer.files[0]); }
 });
 // A file goes in pieces, and can be resumed.
 const PIECE = 8 << 20;
 const send = async (form, file) => {
  const bar = form.querySelector("progress"), headers = { "X-Desk-Token": form.elements.token.value };
  const address = `${form.dataset.drop}?name=${encodeURIComponent(file.name)}&size=${file.size}&changed=${file.lastModified}`;
  const ask = async (options) => { const answer = await fetch(address, options); if (!answer.ok) throw new Error(String(answer.status)); return answer.json(); };
  try {
   let state = await ask({ headers }), quarter = 0;
   while (!state.next) {
    state = await ask({ method: "POST", headers: { ...headers, "X-Desk-Offset": String(state.received) }, body: file.slice(state.received, state.received + PIECE) });
    const share = file.size ? state.received / file.size : 1;
    if (bar) { bar.hidden = false; bar.value = share; }
    if (Math.floor(4 * share) > quarter) { quarter = Math.floor(4 * share); say(`${25 * quarter} %`); }
   }
   location.href = state.next;
  } catch { form.classList.add("failed"); say(form.dataset.failed || "!"); }
 };
 on("change", (e) => { const form = e.target.closest("[data-drop]"); if (form && e.target.type === "file" && e.target.files.length) send(form, e.target.files[0]); });
 on("htmx:load", (e) => prepare(e.detail.elt));
 prepare(document);
})();
