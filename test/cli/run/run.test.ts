import { execFileSync } from 'node:child_process';
import { WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { exitCodeOf, whyEnded } from '../../../cli/run/exit-code.ts';
import type { JobEnded } from '../../../domain/job/ended.ts';
import { shellLine } from '../../../cli/run/shell-line.ts';
import { separateNotes } from '../../../cli/run/separate-notes.ts';
import { printNote } from '../../../cli/io.ts';
import { followJob } from '../../../cli/run/follow-job.ts';
import { insertResearch } from '../support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

describe('an exit code', () => {
  const ended = (end: Partial<NonNullable<JobEnded['end']>>, more: Partial<JobEnded> = {}): JobEnded => ({
    ...{ why: 'ended', detail: null, host: 'h' },
    end: { reason: 'exit', exitCode: null, signal: null, seconds: 1, ...end },
    ...more,
  });

  test('a command that ended by itself has its own exit code, and one that a signal ended 128 and more', () => {
    expect(exitCodeOf(ended({ exitCode: 0 }))).toBe(0);
    expect(exitCodeOf(ended({ exitCode: 7 }))).toBe(7);
    expect(exitCodeOf(ended({ signal: 'SIGSEGV' }))).toBe(139);
  });

  test.each([
    [ended({ reason: 'memory', signal: 'SIGKILL' }), 'It was ended by a limit of its task: memory.'],
    [ended({ reason: 'killed', signal: 'SIGTERM' }, { why: 'cancelled' }), 'It was stopped.'],
    [
      { why: 'setup-failed', detail: 'no such package', host: null, end: null } as const,
      'Its machine could not be prepared for its task: no such package.',
    ],
  ])('%j has none, and says why', (of, words) => {
    expect(exitCodeOf(of)).toBeNull();
    expect(whyEnded(of)).toBe(words);
  });
});

describe('words of a shell', () => {
  test.each([[['a word', "it's", '"', '$HOME', '', '*', '\\', 'two\nlines']], [['--x=1', 'plain/path']]])(
    'a shell reads %j as the words that they were',
    (words) => {
      const said = execFileSync('sh', ['-c', shellLine(['printf', '%s\\0', ...words])], { encoding: 'utf8' });
      expect(said.split('\0').slice(0, -1)).toEqual(words);
    },
  );

  test('a single word is a line of the shell', () => {
    expect(shellLine(['echo a | tr a b'])).toBe('echo a | tr a b');
  });
});

describe('notes between lines', () => {
  /** Both streams as a terminal shows them. */
  function terminal() {
    const shown: string[] = [];
    const stream = { write: (text: string) => shown.push(text) };
    const { io, endLine } = separateNotes({ stdout: stream, stderr: stream });
    return { io, endLine, shown: () => shown.join('') };
  }

  test('a note in the middle of a line begins on its own, and one after a whole line adds none', () => {
    const { io, shown } = terminal();
    printNote(io, 'the server a');
    io.stdout.write('whole\nhalf');
    io.stdout.write('');
    printNote(io, 'one');
    printNote(io, 'two');
    io.stdout.write('rest\n');
    printNote(io, 'three');
    expect(shown()).toBe('the server a\nwhole\nhalf\none\ntwo\nrest\nthree\n');
  });

  test('a line that was left is ended once', () => {
    const { io, endLine, shown } = terminal();
    io.stdout.write('half');
    endLine();
    endLine();
    expect(shown()).toBe('half\n');
  });
});

describe('following a job', () => {
  const bench = useDatabase();

  /** Follows a job at a Temporal server that knows of no such workflow. */
  const follow = (workflowId: string) => {
    const result = () => Promise.reject(new WorkflowNotFoundError('workflow not found', workflowId, undefined));
    const stream = { write: () => undefined };
    const handle = { workflowId, result } as unknown as WorkflowHandle;
    const printer = { drain: () => Promise.resolve() };
    return followJob({ stdout: stream, stderr: stream }, { db: bench.db, handle, printer });
  };

  test('a job that another Temporal server does not know, and Postgres does, is told how to go on with', async () => {
    await insertResearch(bench.db, 'beside');
    await bench.store.job.openJob({
      ...{ id: 'command/a/known', kind: 'command', taskHash: 'task-1', pool: 'local', priority: 1 },
      spec: { shape: 'to-an-end', command: 'true' },
    });
    await expect(follow('command/a/known')).rejects.toThrow(
      /another server .* Go on with it: npx perpetua run --attach command\/a\/known$/,
    );
  });

  test('one that neither knows could not be run', async () => {
    await expect(follow('command/a/unknown')).rejects.toThrow('The command could not be run: workflow not found');
  });
});
