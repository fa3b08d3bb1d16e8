// The lab: a simulation runs on the server, which streams how far it is and then the curves.
import { adapted, axis, colour, computed, fit, library, values } from "./charts.js";

const form = document.getElementById("lab");
const figure = document.getElementById("result");
const part = (name) => document.querySelector(`[data-${name}]`);
const bar = form.querySelector("progress");
const rounded = (value) => value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 1 : 0 });
let stopping;

function draw(uPlot, result) {
  const element = figure.querySelector(".chart");
  figure.hidden = false;
  element.replaceChildren();
  const data = [[0, ...result.times]];
  const series = [{}];
  const bands = [];
  result.curves.forEach((curve) => {
    const line = adapted(curve.colour);
    const band = (sign) => [0, ...curve.mean.map((mean, i) => Math.max(0, mean + sign * 2 * curve.sem[i]))];
    data.push([0, ...curve.mean], band(1), band(-1));
    const first = series.length;
    series.push({ stroke: () => computed(line), width: 2.5, points: { show: false } }, { points: { show: false } }, { points: { show: false } });
    bands.push({ series: [first + 1, first + 2], fill: () => computed(`color-mix(in srgb, ${line} 19%, transparent)`) });
  });
  const highest = Math.max(...result.curves.map((curve) => curve.mean.at(-1)));
  for (const [name, token, dash] of [["exact", "good", [8, 6]], ["bound", "quiet", [2, 5]]]) {
    const value = result[name] != null && result[name] <= 2 * highest ? result[name] : null;
    data.push(data[0].map(() => value));
    series.push({ stroke: () => colour(token), width: 2, dash, points: { show: false } });
  }
  const options = {
    width: element.clientWidth, height: 380, cursor: { show: false }, legend: { show: false }, series, bands,
    scales: { x: { time: false }, y: { range: (_, low, high) => [0, 1.1 * Math.max(high, 1e-9)] } },
    axes: [axis("duels"), axis(`${form.elements.regret.value} regret`, 70)],
  };
  fit(new uPlot(options, data, element), element);
  describe(result);
}

function describe(result) {
  const items = result.curves.map((curve) => entry(`${curve.label}: ${rounded(curve.mean.at(-1))} ± ${rounded(curve.sem.at(-1))} (${curve.runs} runs)`, adapted(curve.colour)));
  if (result.exact != null) items.push(entry(`ws-w, exact, for ever: ${rounded(result.exact)}`, null, "exact"));
  if (result.bound != null) items.push(entry(`ws-w, the theorem's bound: ${rounded(result.bound)}`, null, "bound"));
  figure.querySelector(".legend").replaceChildren(...items);
  part("link").hidden = !result.link;
  if (result.link) part("link").href = result.link;
}

function entry(words, mark, kind) {
  const item = document.createElement("li");
  item.textContent = words;
  if (kind) item.className = kind;
  if (mark) item.style.setProperty("--mark", mark);
  return item;
}

async function run() {
  stopping = new AbortController();
  part("start").disabled = true;
  part("stop").disabled = false;
  bar.hidden = false;
  bar.removeAttribute("value");
  part("words").textContent = "waiting for its turn…";
  let words = "";
  try {
    const body = new URLSearchParams(new FormData(form));
    const response = await fetch("/lab", { method: "POST", body, signal: stopping.signal, headers: { "X-Fragment": "lab" } });
    if (!response.ok) {
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      throw new Error(page.querySelector("main p")?.textContent ?? "This did not work.");
    }
    const uPlot = await library();
    for await (const line of values(response)) {
      if (line.error) throw new Error(line.error);
      if (line.progress != null) {
        bar.value = line.progress;
        part("words").textContent = `${Math.round(100 * line.progress)} %`;
      }
      if (line.curves) draw(uPlot, line);
    }
  } catch (error) {
    words = error.name === "AbortError" ? "Cancelled." : error.message;
  } finally {
    part("words").textContent = words;
    bar.hidden = true;
    part("start").disabled = false;
    part("stop").disabled = true;
  }
}

async function take(file) {
  if (!file) return;
  form.elements.data.value = await file.text();
  form.elements.file.value = file.name;
  part("file").textContent = `Taken from the file ${file.name}.`;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
form.elements.problem.addEventListener("input", () => {
  form.elements.file.value = form.elements.data.value = part("file").textContent = "";
});
part("stop").addEventListener("click", () => stopping?.abort());
document.getElementById("file").addEventListener("change", (event) => take(event.target.files[0]));
form.addEventListener("dragover", (event) => event.preventDefault());
form.addEventListener("drop", (event) => {
  event.preventDefault();
  take(event.dataTransfer.files[0]);
});
if ("run" in form.dataset) run();
