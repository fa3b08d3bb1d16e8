// Robots: the server streams the curve of their regret, and the chart is drawn anew from each whole state.
import { axis, colour, fit, library, values } from "./charts.js";

const panel = document.getElementById("robots");
const form = panel.querySelector("form");
const part = (name) => panel.querySelector(`[data-${name}]`);
const rounded = (value) => value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 1 : 0 });
let chart;
let stopping;

async function make() {
  const uPlot = await library();
  const element = panel.querySelector(".chart");
  panel.querySelector("figure").hidden = false;
  const line = (token, width, dash) => ({ stroke: () => colour(token), width, dash, points: { show: false } });
  const options = {
    width: element.clientWidth,
    height: 300,
    cursor: { show: false },
    legend: { show: false },
    scales: { x: { time: false }, y: { range: (_, low, high) => [0, 1.15 * Math.max(high, 1)] } },
    axes: [axis("duels of each robot"), axis("weak regret")],
    series: [{}, line("accent", 3), line("good", 2, [8, 6]), line("quiet", 2, [2, 5])],
  };
  return fit(new uPlot(options, [[0], [0], [null], [null]], element), element);
}

function draw(state, duels) {
  const highest = Math.max(state.exact ?? 0, state.curve.at(-1)[1]);
  const bound = state.bound != null && state.bound <= 4 * highest ? state.bound : null;
  const points = [...state.curve, [duels, null]];
  chart.setData([points.map(([t]) => t), points.map(([, y]) => y), points.map(() => state.exact ?? null), points.map(() => bound)]);
  part("mean").textContent = `mean of ${state.robots} robots: ${rounded(state.curve.at(-1)[1])}`;
  part("exact").textContent = state.exact == null ? (state.done ? "exact value of ws-w: too many items" : "exact value of ws-w: computing…") : `exact value of ws-w, for ever: ${rounded(state.exact)}`;
  part("bound").textContent = state.bound == null ? "the theorem's bound for ws-w" : `the theorem's bound for ws-w: ${rounded(state.bound)}${bound == null ? " (far above)" : ""}`;
  part("speed").textContent = `${rounded(state.duels_per_second)} duels a second`;
}

async function play(body, duels) {
  stopping = new AbortController();
  part("start").disabled = true;
  part("stop").disabled = false;
  try {
    const response = await fetch(form.action, { method: "POST", body, signal: stopping.signal, headers: { "X-Fragment": "robots" } });
    if (!response.ok) {
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      throw new Error(page.querySelector("main p")?.textContent ?? "This did not work.");
    }
    chart ??= await make();
    for await (const state of values(response)) {
      if (state.error) throw new Error(state.error);
      draw(state, duels);
    }
  } catch (error) {
    part("speed").textContent = error.name === "AbortError" ? "Stopped." : error.message;
  } finally {
    part("start").disabled = false;
    part("stop").disabled = true;
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  play(new URLSearchParams(new FormData(form)), Number(form.elements.duels.value));
});
part("stop").addEventListener("click", () => stopping?.abort());
