/* The editor's colors for assembly (.wws): directives, labels, guards, operations, registers, numbers, comments. */
const NUMBER = /^[-+]?(0[xX][0-9a-fA-F]+|0[hfd][0-9a-fA-F]+|\d+(\.\d+)?([eE][-+]?\d+)?)\b/;

const MODE = {
  startState: () => ({operands: false, naming: false}),
  token(stream, state) {
    if (stream.sol())
      state.operands = state.naming = false;
    if (stream.eatSpace())
      return null;
    if (stream.match(/^(;|\/\/).*/))
      return "comment";
    if (!state.operands)
      return begin(stream, state);
    if (state.naming && stream.match(/^\w+/)) {
      state.naming = false;
      return "def";
    }
    if (stream.match(NUMBER))
      return "number";
    if (stream.match(/^[rp]\d+\b/))
      return "variable-2";
    if (stream.match(/^[A-Za-z_]\w*/))
      return /^=/.test(stream.string.slice(stream.pos)) ? "attribute" : "variable";
    stream.next();
    return "bracket";
  },
  lineComment: ";",
};
CodeMirror.defineMode("wws", () => MODE);

/* The part before the operation: a label, a guard, a directive. */
function begin(stream, state) {
  if (stream.match(/^\w+:/))
    return "tag";
  if (stream.match(/^@!?\w+/))
    return "variable-2";
  state.operands = true;
  if (stream.match(/^\.\w+/)) {
    state.naming = /^\.(kernel|arg|lds|const|variable)$/.test(stream.current());
    return "meta";
  }
  if (stream.match(/^[\w.]+/))
    return "keyword";
  stream.next();
  return null;
}
