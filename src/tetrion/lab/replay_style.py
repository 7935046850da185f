"""How a replay's page looks, beside what all pages share."""

REPLAY_STYLE = """
.replay header {
  align-items: center; display: flex; gap: 4px 16px; margin-bottom: 20px; padding-bottom: 14px;
}
.replay .brand { flex: none; margin: 0; }
.replay h1 {
  flex: 1 1 0; font-size: 22px; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
}
.replay .chips { flex: 0 1 auto; justify-content: flex-end; }
.replay .chips li { overflow-wrap: anywhere; }
.player {
  --rest: 188px; display: grid; gap: 16px; justify-content: center; align-items: start;
  grid-template-columns: 240px auto 240px; grid-template-areas: "numbers board coming";
}
.board { grid-area: board; position: relative; width: calc((100vh - var(--rest)) * var(--ratio)); min-width: 200px; }
@supports (height: 100dvh) { .board { width: calc((100dvh - var(--rest)) * var(--ratio)); } }
.board > svg { display: block; width: 100%; height: auto; }
.numbers { grid-area: numbers; }
.coming { grid-area: coming; display: grid; gap: 16px; }
.replay .panel h2 { color: var(--dim); font-size: 14px; margin: 0 0 8px; }
.numbers dl { margin: 0; }
.numbers div { display: flex; justify-content: space-between; gap: 8px; line-height: 28px; }
.numbers div:first-child { display: block; margin-bottom: 8px; }
.numbers dt { color: var(--dim); font-size: 14px; }
.numbers dd { color: var(--strong); font-weight: 600; margin: 0; }
.numbers div:first-child dd { font-size: 34px; line-height: 1.2; }
#next { display: flex; flex-wrap: wrap; gap: 12px; min-height: 40px; align-items: center; }
#next svg { display: block; height: calc(var(--rows) * 20px); }
#told { margin: 0; min-height: 3em; }
#keys {
  color: var(--dim); display: flex; flex-wrap: wrap; align-content: start; font-size: 14px; gap: 6px 8px;
  list-style: none;
  margin: 0; min-height: 92px; padding: 0;
}
kbd {
  background: var(--raised); border: 1px solid var(--outline); border-radius: 6px; color: var(--text);
  display: inline-block;
  font: 600 13px/22px "Source Sans Pro", "Source Sans 3", system-ui, "Segoe UI", "Helvetica Neue", sans-serif;
  min-width: 24px; padding: 0 6px; text-align: center;
}
.over {
  position: absolute; inset: 0; display: flex; align-items: center; justify-content: center; padding: 12px;
  text-align: center;
}
.over[hidden] { display: none; }
.over .panel { width: 240px; max-width: 100%; }
.over strong { color: var(--strong); display: block; font-size: 18px; font-weight: 600; }
.bar {
  align-items: center; border-top: 1px solid var(--bar); display: grid; gap: 8px 32px; margin-top: 16px;
  padding-top: 12px;
  grid-template-columns: auto minmax(120px, 1fr) auto;
}
.buttons { display: flex; gap: 8px; }
.replay button {
  align-items: center; display: inline-flex; gap: 8px; justify-content: center; margin: 0; min-width: 44px;
  padding: 0 10px; font-size: 16px; font-weight: 600; height: 40px;
}
.replay button:hover { background: #2B313A; }
.replay button:active { transform: translateY(1px); }
.replay button[aria-disabled=true] { background: var(--panel); color: var(--faint); cursor: default; }
.replay button svg { fill: currentColor; height: 14px; }
#play { background: var(--accent); border-color: var(--accent); color: #08130F; min-width: 156px; padding: 0 14px; }
#play:hover { background: #69E2BF; }
#play kbd { background: rgb(8 19 15 / 14%); border-color: transparent; color: #08130F; }
.seek { align-items: center; display: flex; gap: 16px; }
.seek label { color: var(--strong); flex: none; font-size: 14px; min-width: 9em; }
input[type=range] {
  accent-color: var(--accent); appearance: none; -webkit-appearance: none; background: transparent; cursor: pointer;
  height: 28px; margin: 0; width: 100%;
}
input[type=range]::-webkit-slider-runnable-track {
  background: linear-gradient(to right, var(--accent) var(--done, 0%), var(--raised) 0); border-radius: 2px;
  height: 4px;
}
input[type=range]::-webkit-slider-thumb {
  appearance: none; -webkit-appearance: none; background: #FFF; border: 0; border-radius: 50%; height: 16px;
  margin-top: -6px; width: 16px;
}
input[type=range]::-moz-range-track { background: var(--raised); border-radius: 2px; height: 4px; }
input[type=range]::-moz-range-progress { background: var(--accent); border-radius: 2px; height: 4px; }
input[type=range]::-moz-range-thumb { background: #FFF; border: 0; border-radius: 50%; height: 16px; width: 16px; }
.speed { border: 0; display: flex; margin: 0; padding: 0; align-items: center; gap: 12px; min-width: 0; }
.speed legend { color: var(--dim); float: left; font-size: 14px; padding: 0; white-space: nowrap; }
.segments {
  background: var(--panel); border: 1px solid var(--outline); border-radius: 8px; display: flex; height: 36px;
}
.segments label { cursor: pointer; position: relative; display: block; }
.segments input { position: absolute; inset: 0; opacity: 0; margin: 0; width: 100%; height: 100%; cursor: pointer; }
.segments span {
  border-radius: 7px; color: var(--dim); display: block; line-height: 34px; min-width: 36px; padding: 0 8px;
  text-align: center;
}
.segments input:checked + span { background: var(--raised); color: var(--strong); font-weight: 600; }
button:focus-visible, input[type=range]:focus-visible, summary:focus-visible, .segments input:focus-visible + span {
  outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 8px;
}
.more { color: var(--dim); display: flex; flex-wrap: wrap; font-size: 14px; gap: 0 32px; margin-top: 16px; }
.more details { margin: 0; }
.more summary { color: var(--dim); }
.more pre { display: inline-block; }
@media (max-width: 1179px) {
  .player { --rest: 226px; }
  .bar { gap: 4px 24px; grid-template-columns: auto 1fr; }
  .seek { grid-column: 1 / -1; grid-row: 1; }
  .speed { justify-content: flex-end; }
}
@media (max-width: 959px) {
  .player {
    grid-template-columns: auto minmax(0, 320px); grid-template-rows: auto 1fr;
    grid-template-areas: "board numbers" "board coming";
  }
  .board { max-width: 58vw; }
  .numbers dl { display: flex; gap: 16px; justify-content: space-between; }
  .numbers div, .numbers div:first-child { display: block; line-height: 1.4; margin: 0; }
  .numbers dd, .numbers div:first-child dd { font-size: 22px; line-height: 1.4; }
  #told { min-height: 1.5em; }
}
@media (max-width: 600px) {
  body { padding: 12px; }
  .replay header { flex-wrap: wrap; margin-bottom: 10px; padding-bottom: 8px; }
  .replay h1 { font-size: 18px; text-align: right; }
  .replay .chips { font-size: 13px; gap: 6px; margin: 0; }
  .replay .chips li { padding: 0 10px; }
  .player {
    --rest: 270px; gap: 10px; grid-template-columns: auto minmax(0, 1fr); grid-template-rows: auto 1fr auto;
    grid-template-areas: "board numbers" "board next" "move move";
  }
  .coming { display: contents; }
  .coming .next { grid-area: next; align-self: start; }
  .coming .move { grid-area: move; }
  .coming .keys { grid-column: 1 / -1; }
  .coming .move, .coming .keys { background: none; border: 0; padding: 0; }
  .coming .move h2, .coming .keys h2 { display: none; }
  .replay .panel { padding: 10px; }
  .replay .coming .move, .replay .coming .keys { padding: 0; }
  .numbers dl { display: block; }
  .numbers div, .numbers div:first-child { line-height: 1.25; margin-bottom: 6px; }
  .numbers div:first-child dd { font-size: 24px; }
  .numbers dd { font-size: 18px; }
  #next { min-height: 28px; }
  #next svg { height: calc(var(--rows) * 14px); }
  #told { font-size: 14px; line-height: 20px; min-height: 20px; }
  #keys { font-size: 13px; gap: 6px; height: 26px; min-height: 0; overflow: hidden; }
  .bar { gap: 6px; grid-template-columns: minmax(0, 1fr); margin-top: 8px; padding-top: 8px; }
  .seek { grid-row: auto; }
  .seek label { min-width: 0; }
  .buttons { justify-content: space-between; }
  .replay button { flex: 1; height: 44px; }
  #play { flex: 2; min-width: 0; }
  #play kbd { display: none; }
  .speed { justify-content: space-between; }
  .segments { flex: 1; height: 44px; }
  .segments label { flex: 1; }
  .segments span { line-height: 42px; min-width: 0; padding: 0 2px; }
}
@media (forced-colors: active) { .segments input:checked + span { outline: 2px solid; } }
@media print { .bar, .over { display: none; } }
"""
