// ESLint rules that keep the code in plain English: first words of comments, names of parameters, compressed code.

/** Words that begin a clause without its subject. `One` is allowed before a noun: see `opensWithPronoun`. */
const RIDDLES = ['What', 'Whether', 'Who', 'Whoever', 'Of', 'That', 'Where', 'It'];
const LONGEST = 120;

/** The first word of a comment that leaves its subject out, or null. */
export function riddleOf(text) {
  const [first = '', second = ''] = text.trim().split(/\s+/);
  if (RIDDLES.includes(first)) return first;
  return first === 'One' && opensWithPronoun(second) ? 'One' : null;
}

/** "One of the …", "One that …", "One is …": no noun follows. */
function opensWithPronoun(second) {
  return /^(of|that|which|who|whose|where|is|was|has|can|may|must|with|without|to|in|on|by|at|for|from|and|or)$/.test(
    second.replace(/[^A-Za-z]/g, ''),
  );
}

const firstWords = {
  meta: { type: 'suggestion', schema: [], messages: { riddle: 'begin with the subject, not with "{{word}}"' } },
  create(context) {
    return {
      Program() {
        for (const comment of startsOfComments(context.sourceCode.getAllComments())) {
          const word = riddleOf(comment.value.replace(/^\*?\s*/, ''));
          if (word) context.report({ loc: comment.loc, messageId: 'riddle', data: { word } });
        }
      },
    };
  },
};

/** Comments without the second and later lines of a block of line comments. */
function startsOfComments(comments) {
  return comments.filter((comment, index) => {
    const before = comments[index - 1];
    const continues =
      comment.type === 'Line' && before?.type === 'Line' && before.loc.end.line === comment.loc.start.line - 1;
    return !continues;
  });
}

const lineLength = {
  meta: { type: 'layout', schema: [], messages: { long: 'at most {{most}} characters a line; this has {{count}}' } },
  create(context) {
    return {
      Program() {
        for (const [index, line] of context.sourceCode.lines.entries()) {
          if (line.length <= LONGEST) continue;
          const loc = { start: { line: index + 1, column: LONGEST }, end: { line: index + 1, column: line.length } };
          context.report({ loc, messageId: 'long', data: { most: LONGEST, count: line.length } });
        }
      },
    };
  },
};

const compressed = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      spread: 'write the {{what}} out instead of spreading a literal',
      nested: 'write a nested conditional as statements or as a table',
      void: 'write the call and the return as two statements',
    },
  },
  create(context) {
    return {
      'SpreadElement > ObjectExpression'(node) {
        context.report({ node, messageId: 'spread', data: { what: 'properties' } });
      },
      'SpreadElement > ArrayExpression'(node) {
        context.report({ node, messageId: 'spread', data: { what: 'elements' } });
      },
      'ConditionalExpression > ConditionalExpression'(node) {
        context.report({ node, messageId: 'nested' });
      },
      'ReturnStatement > UnaryExpression[operator="void"]'(node) {
        context.report({ node, messageId: 'void' });
      },
    };
  },
};

const VAGUE = new Set(['of', 'on', 'by', 'own', 'to']);

const parameterNames = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { vague: 'name the parameter after its value, not "{{name}}"' },
  },
  create(context) {
    const check = (node) => {
      for (const parameter of node.params) {
        const inner = parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
        const target = inner.type === 'AssignmentPattern' ? inner.left : inner;
        if (target.type === 'Identifier' && VAGUE.has(target.name))
          context.report({ node: target, messageId: 'vague', data: { name: target.name } });
      }
    };
    return { ':function': check, TSFunctionType: check, TSMethodSignature: check, TSCallSignatureDeclaration: check };
  },
};

export const language = {
  rules: {
    'first-words': firstWords,
    'line-length': lineLength,
    compressed,
    'parameter-names': parameterNames,
  },
};
