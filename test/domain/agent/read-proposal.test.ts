import type { EditScope } from '../../../domain/edit/scope/edit-scope.ts';
import { EditRules } from '../../../domain/schema/edits.ts';
import { describe, expect, test } from 'vitest';
import { readAgentProposal, type AgentResult } from '../../../domain/agent/read-proposal.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const result = (more: Partial<AgentResult> = {}): AgentResult => ({
  parent: { 'a.py': 'A = 1\n', 'b.py': 'B = 1\n' },
  left: new Map([
    ['a.py', bytes('A = 2\n')],
    ['b.py', bytes('B = 1\n')],
  ]),
  tooLarge: [],
  ending: null,
  exitCode: 0,
  calls: 2,
  message: 'A doubles the step.',
  output: 'the output',
  ...more,
});

const scope: EditScope = {
  mutablePaths: ['a.py', 'b.py'],
  rules: EditRules.parse({ create: ['*.py'], remove: ['b.py'], regions: true }),
  taken: [],
};

describe('the proposal of an agent', () => {
  test('has the new files that it left and lacks the files that it deleted, if the task allows both', () => {
    const left = new Map([['a.py', bytes('A = 1\n')]]);
    const created = { files: [{ path: 'c.py', bytes: bytes('C = 1\n') }], more: 0 };
    expect(readAgentProposal(result({ left, scope, created }))).toMatchObject({
      files: { 'a.py': 'A = 1\n', 'c.py': 'C = 1\n' },
      changed: ['c.py'],
      removed: ['b.py'],
    });
  });

  test.each([
    ['a new file outside the globs', { created: { files: [{ path: 'c.txt', bytes: bytes('x') }], more: 0 } }, 'c.txt'],
    ['too many new files', { created: { files: [], more: 3 } }, 'too many or too large new files: 3'],
    [
      'a line outside the regions',
      { parent: { 'a.py': 'x\n# EVOLVE-BLOCK-START\n# EVOLVE-BLOCK-END\n', 'b.py': 'B = 1\n' } },
      'in a.py only these lines may change',
    ],
  ])('is refused for %s', (_, more, message) => {
    expect(readAgentProposal(result({ scope, ...more }))).toMatchObject({
      failure: { label: 'edit-outside-mutable', message: expect.stringContaining(message) as string },
    });
  });

  test('is what the mutable files hold, with its last message as the hypothesis', () => {
    expect(readAgentProposal(result())).toEqual({
      ok: true,
      files: { 'a.py': 'A = 2\n', 'b.py': 'B = 1\n' },
      changed: ['a.py'],
      removed: [],
      hypothesis: 'A doubles the step.',
    });
  });

  test('stands although the agent was ended by a limit or failed, and says so', () => {
    const { hypothesis } = readAgentProposal(
      result({ ending: 'it ended with exit code 3', exitCode: 3, message: '' }),
    ) as { hypothesis: string };
    expect(hypothesis).toBe('changes a.py (it ended with exit code 3)');
    const long = readAgentProposal(result({ message: 'x'.repeat(5000), ending: 'it ended by KILL' }));
    expect(long).toMatchObject({ hypothesis: expect.stringMatching(/^x+ \(it ended by KILL\)$/) as string });
    expect((long as { hypothesis: string }).hypothesis).toHaveLength(2000);
  });

  test('is missing without a change, with the calls and the end of its output', () => {
    const left = new Map(Object.entries(result().parent).map(([path, text]) => [path, bytes(text)]));
    expect(readAgentProposal(result({ left, message: '', ending: 'it ended with exit code 1' }))).toEqual({
      ok: false,
      failure: {
        label: 'no-change',
        message:
          'the agent changed no mutable file and asked models 2 times; it ended with exit code 1. It said: the output',
      },
    });
    expect(readAgentProposal(result({ left, calls: 0, message: '', output: '' }))).toEqual({
      ok: false,
      failure: {
        label: 'proposer-failed',
        message: 'the agent changed no mutable file and asked no model; it ended by itself',
      },
    });
  });

  test.each([
    [
      'removed',
      new Map([['a.py', bytes('A = 2\n')]]),
      [],
      'expected b.py, which the agent removed: the task allows no file to be deleted',
    ],
    [
      'bytes that are no text',
      new Map([
        ['a.py', new Uint8Array([0xff, 0xfe])],
        ['b.py', bytes('B = 1\n')],
      ]),
      [],
      'expected text in a.py, got bytes that are no UTF-8',
    ],
    ['too large', new Map([['b.py', bytes('B = 1\n')]]), ['a.py'], 'a.py is larger than all mutable files may be'],
  ])('does not apply if a mutable file is %s', (_, left, tooLarge, message) => {
    expect(readAgentProposal(result({ left, tooLarge }))).toEqual({
      ok: false,
      failure: { label: 'edit-does-not-apply', message },
    });
  });

  test('keeps a file with a character that the parent had and an edit may not add', () => {
    const parent = { 'a.py': 'A = 1\n', 'b.py': 'B = "\u0000"\n' };
    const left = new Map([
      ['a.py', bytes('A = 2\n')],
      ['b.py', bytes('B = "\u0000"\n')],
    ]);
    expect(readAgentProposal(result({ parent, left }))).toMatchObject({ ok: true, changed: ['a.py'] });
  });
});
