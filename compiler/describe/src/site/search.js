"use strict";
(function () {
  var input = document.getElementById("search");
  var results = document.getElementById("results");
  var found = document.getElementById("found");
  var most = 30;

  // Lower is better; -1 is no match. Every word must be found somewhere.
  function rank(row, words) {
    var name = row[0].toLowerCase(), full = (row[2] + "." + row[0]).toLowerCase(), docs = row[4].toLowerCase(), sum = 0;
    for (var i = 0; i < words.length; i++) {
      var word = words[i];
      if (name === word) sum += 0;
      else if (name.indexOf(word) === 0 || name.indexOf("." + word) >= 0) sum += 1;
      else if (name.indexOf(word) >= 0) sum += 2;
      else if (full.indexOf(word) >= 0) sum += 3;
      else if (docs.indexOf(word) >= 0) sum += 5;
      else return -1;
    }
    return sum + name.length / 1000;
  }

  function search(text) {
    var words = text.toLowerCase().replace(/[/]/g, "/").split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    var hits = [];
    gswIndex.forEach(function (row) {
      var value = rank(row, words);
      if (value >= 0) hits.push([value, row]);
    });
    hits.sort(function (a, b) { return a[0] - b[0]; });
    return hits.slice(0, most).map(function (it) { return it[1]; });
  }

  function part(kind, text) {
    var span = document.createElement("span");
    span.className = kind;
    span.textContent = text;
    return span;
  }

  function show(rows) {
    results.textContent = "";
    rows.forEach(function (row) {
      var link = document.createElement("a");
      link.href = row[3];
      link.append(part("name", row[0]), part("kind", row[1]), part("module", row[2]), part("summary", row[4]));
      link.addEventListener("click", hide);
      var item = document.createElement("li");
      item.append(link);
      results.append(item);
    });
    var asked = input.value.trim() !== "";
    if (asked && rows.length === 0) {
      var none = document.createElement("li");
      none.className = "none";
      none.textContent = "Nothing is called so.";
      results.append(none);
    }
    results.hidden = !asked;
    found.textContent = asked ? rows.length + " found" : "";
  }

  function hide() { results.hidden = true; }

  function move(step) {
    var links = Array.prototype.slice.call(results.querySelectorAll("a"));
    var at = links.indexOf(document.activeElement) + step;
    if (at < 0) input.focus();
    else if (at < links.length) links[at].focus();
  }

  input.addEventListener("input", function () { show(search(input.value)); });
  input.form.addEventListener("submit", function (event) {
    event.preventDefault();
    var first = results.querySelector("a");
    if (first) first.click();
  });
  document.addEventListener("keydown", function (event) {
    var inside = input.form.contains(document.activeElement);
    if (event.key === "/" && !inside) { event.preventDefault(); input.focus(); }
    else if (event.key === "Escape" && inside) { hide(); input.focus(); }
    else if (event.key === "ArrowDown" && inside && !results.hidden) { event.preventDefault(); move(1); }
    else if (event.key === "ArrowUp" && inside && !results.hidden) { event.preventDefault(); move(-1); }
  });
  document.addEventListener("click", function (event) { if (!input.form.contains(event.target)) hide(); });

  // `index.html?search=list` shows what it finds.
  var asked = new URLSearchParams(location.search).get("search");
  if (asked) { input.value = asked; show(search(asked)); }
})();
