/** A longer sentence is read twice. */
const MOST_WORDS = 28;
/** A cell of a table holds a phrase; what needs more is a paragraph. */
const MOST_WORDS_IN_CELL = 20;

/** Words that this project once had for its own things, and those of the field. */
const TERMS = [
  [/\b(?:takes?|taken|took|taking)\b/i, 'accept, use, need, claim'],
  [/\b(?:told|tells? of)\b/i, 'say, name, report'],
  [/\bkept\b/i, 'stored, saved, remembered'],
  [/\bknown\b/i, 'found, recognised, stored'],
  [/\b(?:leaves?|leaving)\b/i, 'omit, uninstall, be sent'],
  [/\banew\b/i, 'again, from the start'],
  [/\bpatient(?:ly)?\b/i, 'with retries'],
  [/\bhopeless\b/i, 'final'],
  [/\bso many\b/i, 'at most'],
  [/\bwho(?:so)?ever\b/i, 'name the actor'],
  [/\bbeside\b/i, 'next to, together with'],
  [/\b(?:thereby|therein|whereof|hereby)\b/i, 'plain words'],
];
const DOUBLED = /(?<![\p{L}-])(?!Code\b)(\p{L}+) \1(?![\p{L}-])/u;

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The text that a person reads; code is one word of it. */
function textOf({ type, value, children = [] }) {
  if (type === 'inlineCode') return 'Code';
  if (type === 'text') return value;
  return children.map(textOf).join(type === 'tableRow' ? ' ' : '');
}

function countWords(sentence) {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

const sentencesOf = (text) => [...sentences.segment(text)].map(({ segment }) => segment.trim());
const wholeOf = (text) => [text.trim()];

/** What is wrong with a text, of which each part may have this number of words. */
function faultsOf(text, mostWords, partsOf) {
  const faults = partsOf(text).flatMap((part) => {
    const words = countWords(part);
    return words > mostWords ? [`${words} words, at most ${mostWords}: "${part}"`] : [];
  });
  for (const [term, instead] of TERMS) {
    const [found] = term.exec(text) ?? [];
    if (found !== undefined) faults.push(`"${found}": rather ${instead}`);
  }
  const [doubled] = DOUBLED.exec(text) ?? [];
  return doubled === undefined ? faults : [...faults, `"${doubled}": a word twice`];
}

const plain = {
  create(context) {
    const check = (mostWords, partsOf) => (node) => {
      const text = textOf(node).replace(/\s+/g, ' ');
      for (const message of faultsOf(text, mostWords, partsOf)) context.report({ node, message });
    };
    return {
      paragraph: check(MOST_WORDS, sentencesOf),
      heading: check(MOST_WORDS, sentencesOf),
      tableCell: check(MOST_WORDS_IN_CELL, wholeOf),
    };
  },
};

/** The notes on the canvas of a workflow, each as a page. */
const notes = {
  preprocess: (text) =>
    JSON.parse(text)
      .nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote')
      .map(({ parameters }, index) => ({ text: parameters.content, filename: `${index}.md` })),
  postprocess: (faults) => faults.flat(),
};

/** What is asked of the English of documents, and of the notes in examples. */
export default { rules: { plain }, processors: { notes } };
