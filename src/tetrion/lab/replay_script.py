"""What a replay's page does: it shows the boards that the engine has played, and knows no rules of its own."""

REPLAY_SCRIPT = """<script>
"use strict";
(() => {
  const game = JSON.parse(document.getElementById("game").textContent);
  const at = (id) => document.getElementById(id);
  const { shapes, moves, queue, height, cell, width } = game;
  const last = moves.length, KEPT_EVERY = 256, PHASES_UP_TO = 8, SHOWN_KEYS = 12;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const NAMES = { l: "←", r: "→", t: "Rotate", b: "Back", d: "↓", p: "Drop" };
  const number = new Intl.NumberFormat("en-GB");
  const slider = at("seek"), cells = at("cells"), piece = at("piece"), ghost = at("ghost"), shine = at("shine");
  const kept = [[]];
  let now = 0, timer = 0, playing = false;

  // The sums before each move, and the boards: rows from the floor, each ten letters or spaces.
  const sums = [[0, 0, game.level]];
  for (const [, , , , points, level, cleared] of moves) {
    const [score, lines] = sums[sums.length - 1];
    sums.push([score + points, lines + cleared.length, level]);
  }
  const cellsOf = ([shape, column, row]) => shapes[shape].cells.map(([x, y]) => [column + x, row + y]);
  const withPiece = (rows, move) => {
    const letter = shapes[move[0]].letter, after = rows.map((row) => row.slice());
    for (const [x, y] of cellsOf(move)) {
      while (after.length <= y) after.push(Array(width).fill(" "));
      after[y][x] = letter;
    }
    return after;
  };
  const boardAfter = (count) => {
    let known = Math.min(Math.floor(count / KEPT_EVERY), kept.length - 1);
    let rows = kept[known], done = known * KEPT_EVERY;
    while (done < count) {
      const move = moves[done++];
      rows = withPiece(rows, move).filter((_, row) => !move[6].includes(row));
      if (done % KEPT_EVERY === 0) kept[done / KEPT_EVERY] = rows;
    }
    return rows;
  };

  // Drawing: every cell of the well is there once, and refers to one of the drawings of a cell.
  const make = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const drawnCells = [];
  for (let y = 0; y < height; y++) {
    drawnCells.push([]);
    for (let x = 0; x < width; x++) {
      const one = make("use", { x: x * cell, y: (height - 1 - y) * cell });
      drawnCells[y].push(cells.appendChild(one));
    }
  }
  const fill = (one, drawing) => {
    if (one.dataset.drawing === drawing) return;
    one.dataset.drawing = drawing;
    if (drawing) one.setAttribute("href", "#" + drawing);
    else one.removeAttribute("href");
  };
  const drawRows = (rows, state) => {
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const letter = (rows[y] || [])[x] || " ";
        fill(drawnCells[y][x], letter === " " ? "" : state + letter);
      }
  };
  const drawPiece = (move, row) => {
    piece.replaceChildren();
    if (!move || row < 0) return;
    const letter = shapes[move[0]].letter;
    for (const [x, y] of shapes[move[0]].cells) {
      const place = { href: "#active" + letter, x: (move[1] + x) * cell, y: (height - 1 - row - y) * cell };
      piece.appendChild(make("use", place));
    }
  };
  const drawGhost = (move) => {
    if (!move) return ghost.removeAttribute("d");
    const { contour, tall, colour } = shapes[move[0]];
    ghost.setAttribute("d", contour);
    ghost.setAttribute("transform", `translate(${move[1] * cell} ${(height - move[2] - tall) * cell})`);
    ghost.setAttribute("stroke", colour);
    ghost.setAttribute("fill", colour);
  };
  const drawShine = (rows) => {
    shine.replaceChildren();
    for (const row of rows)
      shine.appendChild(make("rect", { x: 0, y: (height - 1 - row) * cell, width: width * cell, height: cell }));
  };

  // Words.
  const columnsOf = (move) => {
    const columns = cellsOf(move).map(([x]) => x + 1), [first, end] = [Math.min(...columns), Math.max(...columns)];
    return first === end ? `column ${first}` : `columns ${first} to ${end}`;
  };
  const told = (move) => {
    if (!move) return game.over ? "The game is over." : "The recording ends here.";
    const cleared = move[6].length;
    const lines = cleared ? `, and clears ${cleared === 1 ? "a line" : cleared + " lines"}` : "";
    return `${shapes[move[0]].letter} goes to ${columnsOf(move)}, row ${move[2] + 1}${lines}.`;
  };
  const keysOf = (move) => {
    const found = [];
    for (const key of move && move[7] ? move[7] : "") {
      const before = found[found.length - 1];
      if (before && before[0] === key) before[1]++;
      else found.push([key, 1]);
    }
    return found;
  };
  const showKeys = (move) => {
    const list = at("keys");
    if (!list) return;
    const found = keysOf(move), shown = found.slice(0, SHOWN_KEYS);
    list.replaceChildren(...shown.map(([key, times]) => {
      const item = document.createElement("li"), cap = document.createElement("kbd");
      cap.textContent = NAMES[key];
      cap.title = game.keys[key];
      item.append(cap, times > 1 ? ` ×${times}` : "");
      return item;
    }));
    const more = found.length - shown.length;
    if (more || !found.length) {
      const item = document.createElement("li");
      item.textContent = more ? `and ${more} more` : move ? "none" : "–";
      list.append(item);
    }
  };
  const showNext = () => {
    if (!at("next")) return;
    const letters = queue.slice(now + 1, now + 1 + game.preview);
    at("next").replaceChildren(...[...letters].map((letter) => {
      const [wide, high] = game.sizes[letter];
      const view = { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": letter };
      const drawn = make("svg", { ...view, style: `aspect-ratio: ${wide} / ${high}; --rows: ${high / cell}` });
      drawn.appendChild(make("use", { href: "#next" + letter }));
      return drawn;
    }));
  };
  const textOf = (rows) => {
    const lines = [];
    for (let y = height - 1; y >= 0; y--) lines.push((rows[y] || Array(width).fill(" ")).join("").replaceAll(" ", "."));
    return lines.join("\\n");
  };

  // A view of the game: before the next move, or with its piece lying, rows that it fills shining.
  const show = (lying = false) => {
    const move = moves[now], rows = boardAfter(now), ended = !move && game.over;
    drawRows(rows, ended ? "out" : "locked");
    drawPiece(move, move ? (lying ? move[2] : move[3]) : -1);
    drawGhost(lying ? null : move);
    drawShine(lying ? move[6] : []);
    if (lying) return;
    const [score, lines, level] = sums[now];
    const figures = { score, lines, level, pieces: now };
    for (const [name, value] of Object.entries(figures)) {
      if (at(name)) at(name).textContent = number.format(value);
    }
    const where = `Move ${number.format(now)} of ${number.format(last)}`;
    at("where").textContent = where;
    slider.value = now;
    slider.style.setProperty("--done", `${last ? (100 * now) / last : 0}%`);
    slider.setAttribute("aria-valuetext", where);
    at("told").textContent = told(move);
    at("text").textContent = textOf(rows);
    const stands = `Board after ${now} of ${last} moves, ${rows.length} rows high. ${told(move)}`;
    at("board").setAttribute("aria-label", stands);
    at("over").hidden = !ended;
    showNext();
    showKeys(move);
    for (const id of ["first", "back"]) at(id).setAttribute("aria-disabled", now === 0);
    for (const id of ["forward", "last"]) at(id).setAttribute("aria-disabled", now === last);
  };

  // Playing.
  const speed = () => Number(document.querySelector("input[name=speed]:checked").value);
  const wait = (share, then) => { timer = setTimeout(then, (share * 1000) / speed()); };
  const step = () => {
    if (now >= last) return pause();
    if (calm.matches || speed() > PHASES_UP_TO) return wait(1, advance);
    wait(0.55, () => { show(true); wait(0.45, advance); });
  };
  const advance = () => { now++; show(); step(); };
  const buttonSays = () => {
    at("play-word").textContent = playing ? "Pause" : "Play";
    at("play-sign").setAttribute("d", playing ? "M1 0h4v14H1zM9 0h4v14H9z" : "M2 0l11 7-11 7z");
    at("told").setAttribute("aria-live", playing ? "off" : "polite");
  };
  const pause = () => { clearTimeout(timer); playing = false; buttonSays(); };
  const play = () => {
    if (!last) return;
    if (now >= last) now = 0;
    playing = true;
    buttonSays();
    show();
    step();
  };
  const go = (place) => { pause(); now = Math.max(0, Math.min(last, place)); show(); };
  const actions = {
    play: () => (playing ? pause() : play()), first: () => go(0), back: () => go(now - 1), forward: () => go(now + 1),
    last: () => go(last),
  };
  for (const [id, action] of Object.entries(actions)) at(id).onclick = action;
  slider.oninput = () => go(Number(slider.value));
  const keys = { " ": "play", ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    const target = event.target, name = keys[event.key];
    const radio = target.type === "radio" && event.key.startsWith("Arrow");
    const own = event.key === " " && (target.closest("button, summary") || target.type === "radio");
    if (!name || event.ctrlKey || event.metaKey || event.altKey || radio || own) return;
    event.preventDefault();
    actions[name]();
  });
  show();
  buttonSays();
  at("play").focus({ preventScroll: true });
})();
</script>"""
