// The order of what is found, instead of Sphinx's, which wants every word on the page and takes no notice of how rare a word is.
// Each word that is typed counts by how few pages have it, most in the title of a page, less in a heading, least in its text.
// Of two pages that have a word the shorter counts more. A page is found if it has at least half of what can be found at all.
const IN_TITLE = 4, IN_HEADING = 2, IN_TEXT = 1, IN_PART = 0.5;
Scorer.title = 100; // the whole query is a title or a heading

Search.performTermsSearch = (words, excluded) => {
  const index = Search._index;
  const stemmer = new Stemmer();
  const has = (table, word) => (Object.hasOwn(table, word) ? [table[word]].flat() : []);
  const parts = (table, word) =>
    word.length > 2 ? Object.keys(table).filter((term) => term.includes(word)).flatMap((term) => table[term]) : [];
  const titles = index.titles.map((title) => new Set(splitQuery(title.toLowerCase()).map((word) => stemmer.stemWord(word))));
  const sizes = titles.map(() => 0);
  Object.values(index.terms).forEach((files) => [files].flat().forEach((file) => (sizes[file] += 1)));
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  const scores = new Map();
  const found = new Map();
  let total = 0;
  for (const word of words) {
    const weights = new Map();
    const note = (files, weight) =>
      files.forEach((file) => weights.set(file, Math.max(weight, weights.get(file) ?? 0)));
    note(has(index.terms, word), IN_TEXT);
    note(has(index.titleterms, word), IN_HEADING);
    if (!weights.size) note([...parts(index.terms, word), ...parts(index.titleterms, word)], IN_PART);
    if (!weights.size) continue;
    const rarity = Math.log(1 + titles.length / weights.size);
    total += rarity;
    weights.forEach((weight, file) => {
      const counted = titles[file].has(word) ? IN_TITLE : weight / (0.5 + (0.5 * sizes[file]) / mean);
      scores.set(file, (scores.get(file) ?? 0) + rarity * counted);
      found.set(file, (found.get(file) ?? 0) + rarity);
    });
  }
  const unwanted = new Set([...excluded].flatMap((word) => [...has(index.terms, word), ...has(index.titleterms, word)]));
  return [...scores]
    .filter(([file]) => found.get(file) >= total / 2 && !unwanted.has(file))
    .map(([file, score]) => [
      index.docnames[file], index.titles[file], "", null, score, index.filenames[file], SearchResultKind.text,
    ]);
};
