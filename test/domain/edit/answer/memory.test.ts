import { describe, expect, it } from 'vitest';
import { ANSWER_FORMAT } from '../../../../domain/prompt/answer-format.ts';
import { MEMORY_BYTES, MEMORY_FORMAT, MEMORY_PATH, takeMemory } from '../../../../domain/edit/answer/memory.ts';
import { parseAnswer } from '../../../../domain/edit/parse-answer.ts';

const FILES = { 'a.js': 'const X = 1;\n' };
const EDIT = 'HYPOTHESIS: more\n\na.js\n````\nconst X = 2;\n````\n';
const memoryBlock = (text: string, marks = '````') => `\n${MEMORY_PATH}\n${marks}\n${text}\n${marks}\n`;
const take = (text: string) => takeMemory(text, { known: ['a.js'], files: FILES });

describe('an answer with a memory', () => {
  it.each([
    ['after the edits', `${EDIT}${memoryBlock('wide is bad')}`],
    ['before them', `${memoryBlock('wide is bad')}\n${EDIT}`],
    ['under a heading', `${EDIT}\n### \`${MEMORY_PATH}\`\n\n\`\`\`\`md\nwide is bad\n\`\`\`\`\n`],
    ['in bold with a colon', `${EDIT}\n**${MEMORY_PATH}**:\n\`\`\`\`\nwide is bad\n\`\`\`\`\n`],
    [
      'behind thoughts that have one, too',
      `<think>\n${memoryBlock('first thought')}</think>\n${EDIT}${memoryBlock('wide is bad')}`,
    ],
    ['with the name in the fence', `${EDIT}\n\`\`\`\`${MEMORY_PATH}\nwide is bad\n\`\`\`\`\n`],
  ])('gives the memory %s, and the edits', (_name, text) => {
    const taken = take(text);
    if (!taken.ok) return expect.unreachable(taken.reason);
    expect(taken.memory).toBe('wide is bad\n');
    expect(parseAnswer(taken.rest, ['a.js'], FILES)).toMatchObject({
      ok: true,
      hypothesis: 'more',
      edits: [{ path: 'a.js', content: 'const X = 2;\n' }],
    });
  });

  it('may hold fences that are shorter than its own', () => {
    expect(take(EDIT + memoryBlock('a\n```py\nx = 1\n```\nb'))).toMatchObject({ memory: 'a\n```py\nx = 1\n```\nb\n' });
  });

  it('is unreadable if the block never ends, or if the memory is too large', () => {
    expect(take(`${EDIT}\n${MEMORY_PATH}\n\`\`\`\`\nwide`)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('is never closed') as string,
    });
    expect(take(EDIT + memoryBlock('é'.repeat(MEMORY_BYTES / 2)))).toEqual({
      ok: false,
      reason:
        `${MEMORY_PATH} has ${MEMORY_BYTES + 1} bytes, and at most ${MEMORY_BYTES} are kept; ` +
        'answer again with a shorter memory',
    });
    expect(take(EDIT + memoryBlock('x'.repeat(MEMORY_BYTES - 1)))).toMatchObject({ ok: true });
  });

  it('has none if it only mentions the name', () => {
    const text = `I leave ${MEMORY_PATH} as it is.\n\n${EDIT}`;
    expect(take(text)).toEqual({ ok: true, rest: text, memory: null });
    expect(take(EDIT)).toEqual({ ok: true, rest: EDIT, memory: null });
  });

  it('is described by the format that the prompt gives', () => {
    const form = ANSWER_FORMAT.replace('path/to/file', 'a.js').replace('path/to/file', 'b.js');
    const taken = takeMemory(`${form}\n\n${MEMORY_FORMAT}`, { known: ['a.js', 'b.js'], files: {} });
    expect(taken).toMatchObject({ ok: true, memory: 'the whole new memory\n' });
  });
});
