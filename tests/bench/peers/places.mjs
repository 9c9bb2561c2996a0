// A map of lists in an object, filled or overwritten part by part: `node places.mjs WHAT COUNT`.
const [what, count] = [process.argv[2], Number(process.argv[3])];
const keys = Array.from({ length: 1000 }, (_, i) => `k${i}`);
const index = { lists: new Map() };
const appends = what === "lists[k] += [i]";
for (const key of keys) index.lists.set(key, appends ? [] : new Array(1000).fill(0));
for (let i = 0; i < count; i++) {
  if (appends) index.lists.get(keys[i % 1000]).push(i);
  else index.lists.get(keys[i % 1000])[Math.trunc(i / 1000)] = i;
}
let sum = 0;
for (const list of index.lists.values()) sum += list.length;
console.log(sum);
