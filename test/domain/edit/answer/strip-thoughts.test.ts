import { describe, expect, it } from 'vitest';
import type { Edit } from '../../../../domain/edit/edit.ts';
import { parseAnswer } from '../../../../domain/edit/parse-answer.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';
import { MARKS, REPEATED } from './marks.ts';

const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`;
const FILES = { 'a.py': 'lr = 1\nsteps = 2\n', 'prompt.md': 'Think.\n</think>\nAnswer.\n' };
const DRAFT = `First idea:\na.py\n${block('steps = 2', 'steps = 9')}\nNo, that is too long.`;
const WHOLE_DRAFT = 'First idea:\na.py\n```python\nlr = 9\nsteps = 9\n```\nToo much.';
const OPEN_DRAFT = 'First idea:\na.py\n```python\nlr = 9\nNo, wait.';
const HALF_DRAFT = 'First idea:\na.py\n<<<<<<< SEARCH\nlr = 9\nNo, wait.';
const ANSWER = `HYPOTHESIS: a larger rate\n\na.py\n${block('lr = 1', 'lr = 3')}\n`;
const WHOLE_ANSWER = 'HYPOTHESIS: a larger rate\n\na.py\n```\nlr = 3\nsteps = 2\n```\n';
const meant = [{ path: 'a.py', search: 'lr = 1', replace: 'lr = 3' }];
const meantWhole = [{ path: 'a.py', content: 'lr = 3\nsteps = 2\n' }];

const read = (text: string, files: Record<string, string> = FILES): ReturnType<typeof parseAnswer> =>
  parseAnswer(text, Object.keys(files), files);
const edits = (text: string): Edit[] | string => {
  const answer = read(text);
  return answer.ok ? answer.edits : answer.reason;
};

/** The marks around thoughts in the templates of open models. */
const PAIRS: [string, string][] = [
  ['<think>', '</think>'],
  ['<THINK>', '</THINK>'],
  ['<Think>\n', '\n</Think>\n'],
  ['< think >', '< / think >'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<thoughts>', '</thoughts>'],
  ['<reasoning>', '</reasoning>'],
  ['<reflection>', '</reflection>'],
  ['<analysis>', '</analysis>'],
  ['<brainstorming>', '</brainstorming>'],
  ['<plan>', '</plan>'],
  ['<scratchpad>', '</scratchpad>'],
  ['<chain_of_thought>', '</chain_of_thought>'],
  ['<inner_monologue>', '</inner_monologue>'],
  ['<antThinking>', '</antThinking>'],
  ['<thinking duration="3s" mode=\'deep\'>', '</thinking>'],
  ['[THINK]', '[/THINK]'],
  ['[think]', '[/think]'],
  ['[REASONING]\n', '\n[/REASONING]\n'],
  ['<seed:think>', '</seed:think>'],
  ['<mm:think>', '</mm:think>'],
  ['<think:opensource>', '</think:opensource>'],
  ['<longcat_think>', '</longcat_think>'],
  ['<ifm|think*>', '</ifm|think*>'],
  ['◁think▷', '◁/think▷'],
  ['＜think＞', '＜/think＞'],
  ['&lt;think&gt;', '&lt;/think&gt;'],
  ['<|think|>', '<|/think|>'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['<|begin_of_thought|>', '<|end_of_thought|>\n\n<|begin_of_solution|>'],
  ['<|START_THINKING|>', '<|END_THINKING|><|START_RESPONSE|>'],
  ['<|thought_start|>', '<|thought_end|>'],
  ['<REASONING_START>\n', '\n<REASONING_END>\n'],
  ['<unused94>thought\n', '<unused95>'],
  ['<|inner_prefix|>', '<|inner_suffix|>'],
  ['<|channel>thought\n', '<channel|>'],
  ['<|channel|>analysis<|message|>', '<|end|><|start|>assistant<|channel|>final<|message|>'],
  ['<|start|>assistant<|channel|>analysis<|message|>', '<|end|><|start|>assistant<|channel|>final<|message|>'],
  ['<|channel|>analysis<|message|>', '<|end|>\n<|start|>assistant<|channel|>final <|constrain|>text<|message|>'],
  ['<|channel|>commentary<|message|>', '<|channel|>final<|message|>'],
  ['analysis', 'assistantfinal'],
  ['assistantanalysis', 'assistantfinal'],
  ['<|im_start|>think\n', '\n<|im_start|>answer\n'],
  ['<|think|>', '<|end|><|begin|>assistant<|content|>'],
  ['Here is my thought process:\n', '\nHere is my response:\n'],
  ["Here's my thought process:\n", "\nHere's my response:\n"],
  ['Here are my reasoning steps:\n', '\n[BEGIN FINAL RESPONSE]\n'],
  ['<think>', '\n<answer>\n'],
  ['<thinking>', '</thinking>\n<output>\n'],
  ['<details type="reasoning" done="true">\n<summary>Thought</summary>\n', '\n</details>\n'],
  ['<思考>', '</思考>'],
  ['<details><summary>Reasoning</summary>\n', '\n</details>\n'],
  ['[[think]]', '[[/think]]'],
  ['{think}', '{/think}'],
  ['<!-- think -->\n', '\n<!-- /think -->\n'],
  ['<think\n>', '</think\n>'],
  ['<begin_thinking>', '<end_thinking>'],
  ['Thinking...\n', '\n...done thinking.\n'],
  ['### Thinking\n', '\n### Answer\n'],
  ['**Reasoning:**\n', '\n**Final answer**\n'],
];

describe('only the text behind the last end of the thoughts is read', () => {
  it.each(PAIRS)('with thoughts between %j and %j', (open, end) => {
    expect(edits(open + DRAFT + end + ANSWER)).toEqual(meant);
    expect(read(open + DRAFT + end + ANSWER)).toMatchObject({ hypothesis: 'a larger rate' });
    expect(edits(`${open}${WHOLE_DRAFT}${end}\n${ANSWER}`)).toEqual(meant);
    expect(edits(`\n ${open}\n${OPEN_DRAFT}\n${end}\n${ANSWER}`)).toEqual(meant);
    expect(edits(`${open}${OPEN_DRAFT}\n${end}\n${WHOLE_ANSWER}`)).toEqual(meantWhole);
    expect(edits(`${open}${HALF_DRAFT}\n${end}\n${WHOLE_ANSWER}`)).toEqual(meantWhole);
    expect(edits(`${open}${WHOLE_DRAFT}${end}\n${WHOLE_ANSWER}`)).toEqual(meantWhole);
  });

  it.each(PAIRS.map(([, end]) => end).filter((end) => !/Here|details|answer|output|done thinking/i.test(end)))(
    'if the opening mark is part of the template, from %j on',
    (end) => {
      expect(edits(DRAFT + end + ANSWER)).toEqual(meant);
      expect(edits(`${WHOLE_DRAFT}\n${end}\n${ANSWER}`)).toEqual(meant);
      expect(edits(`${OPEN_DRAFT}\n${end}\n${WHOLE_ANSWER}`)).toEqual(meantWhole);
      expect(edits(`${HALF_DRAFT}\n${end}\n${ANSWER}`)).toEqual(meant);
    },
  );

  it.each([
    ['several of them', `<think>${DRAFT}</think>\nHm.\n<think>${WHOLE_DRAFT}</think>\n${ANSWER}`],
    ['an end that comes twice', `<think>${DRAFT}</think>\n${DRAFT}\n</think>\n${ANSWER}`],
    ['words before them', `Let me see.\n<think>\n${DRAFT}\n</think>\n${ANSWER}`],
    ['words before them in the line', `Okay, so <think>\n${DRAFT}\n</think>\n${ANSWER}`],
    ['empty ones', `<think>\n\n</think>\n\n${ANSWER}`],
    [
      'other ones within',
      `<seed:think>${DRAFT}<seed:cot_budget_reflect>x</seed:cot_budget_reflect></seed:think>${ANSWER}`,
    ],
    ['the end mark in quotes within', `<think>I close with \`</think>\` later.\n${DRAFT}\n</think>\n${ANSWER}`],
    ['a tag around the answer', `<think>${DRAFT}</think>\n<answer>\n${ANSWER}</answer>`],
    ['special tokens behind the answer', `<think>${DRAFT}</think>${ANSWER}<|return|>`],
    ['a special token glued to the answer', `[THINK]${DRAFT}[/THINK]${ANSWER.trimEnd()}<|im_end|>`],
    ['a fence around all', `\`\`\`\n<think>${DRAFT}</think>\n${ANSWER}\`\`\``],
    ['line ends with a carriage return', `<think>\n${DRAFT}\n</think>\n${ANSWER}`.replaceAll('\n', '\r\n')],
    ['more ends than anyone needs', `${'x </think>\n'.repeat(50)}${ANSWER}`],
    ['the answer in a tag alone', `${DRAFT}\n<answer>\n${ANSWER}</answer>`],
  ])('with %s', (_name, text) => {
    expect(edits(text)).toEqual(meant);
  });
});

describe('thoughts that never end', () => {
  it.each(PAIRS.map(([open]) => open).filter((open) => !/^###|^\*\*/.test(open)))(
    'are no edit and no hypothesis: %j',
    (open) => {
      const answer = read(`${open}HYPOTHESIS: none of it\n${DRAFT}\nNo, that is far too`);
      expect(answer.ok).toBe(false);
      if (!answer.ok) expect(answer.reason).toContain('expected SEARCH/REPLACE blocks');
    },
  );

  it.each([
    '<reasoning>\nit is low\n</reasoning>',
    '<analysis>it is low</analysis>',
    '<details><summary>Reasoning</summary>\nit is low\n</details>',
  ])('are distinguished from reasons behind the edits: %j', (reasons) => {
    expect(edits(`${ANSWER}\n${reasons}\n`)).toEqual(meant);
  });

  it('are named in the reason', () => {
    expect(edits(`<think>${DRAFT}`)).toContain('the thoughts of the answer never end');
    expect(edits(`<|channel|>analysis<|message|>${WHOLE_DRAFT}`)).toContain('the thoughts of the answer never end');
    expect(edits(`${ANSWER}\n<think>\nhm, more`)).toContain('the thoughts of the answer never end');
  });

  it('are distinguished from an answer that stops behind its thoughts', () => {
    expect(edits(`<think>${DRAFT}</think>\nI am done.`)).toContain('no edit was found after the thoughts');
    expect(edits(`${DRAFT}</think>`)).toContain('no edit was found after the thoughts');
  });
});

describe('a mark that is content of a file stays', () => {
  const file = '<think>\nstep by step\n</think>\nAnswer:\n';
  it.each([
    ['both marks in a whole file', `prompt.md\n\`\`\`\n${file}\`\`\``, { path: 'prompt.md', content: file }],
    [
      'both in a line of code',
      'a.py\n```python\nlr = 1\nx = re.sub(r"<think>.*?</think>", "", x)\n```',
      { path: 'a.py', content: 'lr = 1\nx = re.sub(r"<think>.*?</think>", "", x)\n' },
    ],
    [
      'an end in quotes',
      'a.py\n```python\nlr = 1\nx = x.split("</think>")[-1]\n```',
      { path: 'a.py', content: 'lr = 1\nx = x.split("</think>")[-1]\n' },
    ],
    [
      'an end in a regular expression',
      'a.py\n```js\nlr = 1\nx.replace(/^.*<\\/think>/s)\n```',
      { path: 'a.py', content: 'lr = 1\nx.replace(/^.*<\\/think>/s)\n' },
    ],
    [
      'an end alone that the file had',
      'prompt.md\n```\nThink hard.\n</think>\nAnswer.\n```',
      { path: 'prompt.md', content: 'Think hard.\n</think>\nAnswer.\n' },
    ],
    [
      'an end alone, if no other edit follows',
      'a.py\n```python\n# drops all up to </think> in a text\nlr = 1\n```',
      { path: 'a.py', content: '# drops all up to </think> in a text\nlr = 1\n' },
    ],
    [
      'an end in a sentence of a whole file',
      'prompt.md\n```\nEnd with </thinking> and answer.\n```',
      { path: 'prompt.md', content: 'End with </thinking> and answer.\n' },
    ],
    [
      'an end in a SEARCH/REPLACE block',
      `prompt.md\n${block('</think>', '</think>\n\nBe short.')}`,
      { path: 'prompt.md', search: '</think>', replace: '</think>\n\nBe short.' },
    ],
    [
      'an opening alone in a SEARCH/REPLACE block',
      `prompt.md\n${block('Think.', '<think>')}`,
      { path: 'prompt.md', search: 'Think.', replace: '<think>' },
    ],
    [
      'an end that a diff adds',
      '```diff\n--- prompt.md\n+++ prompt.md\n@@ -1 +1,2 @@\n Think.\n+</think> first\n```',
      { path: 'prompt.md', search: 'Think.', replace: 'Think.\n</think> first', line: 1 },
    ],
    [
      'marks of a channel',
      `prompt.md\n${block('Think.', '<|channel|>analysis<|message|>')}`,
      { path: 'prompt.md', search: 'Think.', replace: '<|channel|>analysis<|message|>' },
    ],
  ])('%s', (_name, text, edit) => {
    expect(edits(`HYPOTHESIS: a larger rate\n\n${text}\n`)).toEqual([edit]);
    if (!text.includes('drops all'))
      expect(edits(`${text}\n\n${ANSWER.replace('a.py', 'b.py')}`)).toEqual([edit, { ...meant[0], path: 'b.py' }]);
    expect(edits(`<think>${DRAFT}</think>\n${text}\n`)).toEqual([edit]);
    expect(edits(`${DRAFT}\n</think>\n${text}\n`)).toEqual([edit]);
  });

  it.each([
    'HYPOTHESIS: read only what follows `</think>`',
    'HYPOTHESIS: ask for <think>…</think> before the number',
    'HYPOTHESIS: let the model use <think>',
    'HYPOTHESIS: the reasoning [analysis](x) helps',
    'HYPOTHESIS: a <Thinking /> element',
  ])('in a sentence, too: %s', (line) => {
    const answer = read(`${line}\n\na.py\n${block('lr = 1', 'lr = 3')}`);
    expect(answer).toMatchObject({ ok: true, edits: meant, hypothesis: line.slice(12) });
  });
});

/** Lines that overflow the stack of a reader which calls itself for each line. */
const DEEP = 20_000;

describe('answers with marks in any order', () => {
  it('never make the parser throw', () => {
    const random = createRandom(11);
    for (let i = 0; i < 3000; i += 1) {
      const text = Array.from({ length: random.below(16) }, () => MARKS[random.below(MARKS.length)]).join('\n');
      const answer = read(text);
      if (answer.ok) expect(answer.edits.length).toBeGreaterThan(0);
      else expect(answer.reason).not.toBe('');
    }
  });

  it.each(REPEATED.map((piece) => [piece]))('are read to their end, however often a mark repeats: %j', (piece) => {
    expect(() => read(`${piece}\n`.repeat(DEEP))).not.toThrow();
  });
});
