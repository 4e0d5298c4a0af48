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
    why: 'ended',
    detail: null,
    host: 'h',
    end: { reason: 'exit', exitCode: null, signal: null, seconds: 1, ...end },
    ...more,
  });

  test('is that of the command, or 128 plus the number of the signal that ended it', () => {
    expect(exitCodeOf(ended({ exitCode: 0 }))).toBe(0);
    expect(exitCodeOf(ended({ exitCode: 7 }))).toBe(7);
    expect(exitCodeOf(ended({ signal: 'SIGSEGV' }))).toBe(139);
  });

  test.each([
    [ended({ reason: 'memory', signal: 'SIGKILL' }), 'A limit of its task ended it: memory.'],
    [ended({ reason: 'killed', signal: 'SIGTERM' }, { why: 'cancelled' }), 'It was stopped.'],
    [
      { why: 'setup-failed', detail: 'no such package', host: null, end: null } as const,
      'Its machine could not be prepared for its task: no such package.',
    ],
  ])('is none for %j, which has a reason', (job, words) => {
    expect(exitCodeOf(job)).toBeNull();
    expect(whyEnded(job)).toBe(words);
  });
});

describe('a command line for the shell', () => {
  test.each([[['a word', "it's", '"', '$HOME', '', '*', '\\', 'two\nlines']], [['--x=1', 'plain/path']]])(
    'keeps the words %j',
    (words) => {
      const output = execFileSync('sh', ['-c', shellLine(['printf', '%s\\0', ...words])], { encoding: 'utf8' });
      expect(output.split('\0').slice(0, -1)).toEqual(words);
    },
  );

  test('is a single word as it stands', () => {
    expect(shellLine(['echo a | tr a b'])).toBe('echo a | tr a b');
  });
});

describe('notes between lines', () => {
  /** Captures both streams in the order in which a terminal shows them. */
  function terminal() {
    const shown: string[] = [];
    const stream = { write: (text: string) => shown.push(text) };
    const { io, endLine } = separateNotes({ stdout: stream, stderr: stream });
    return { io, endLine, shown: () => shown.join('') };
  }

  test('start on a line of their own, and add no empty line after a whole one', () => {
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

  test('end an unfinished line once', () => {
    const { io, endLine, shown } = terminal();
    io.stdout.write('half');
    endLine();
    endLine();
    expect(shown()).toBe('half\n');
  });
});

describe('following a job', () => {
  const bench = useDatabase();

  /** Follows a job on a Temporal server that has no such workflow. */
  const follow = (workflowId: string) => {
    const result = () => Promise.reject(new WorkflowNotFoundError('workflow not found', workflowId, undefined));
    const stream = { write: () => undefined };
    const handle = { workflowId, result } as unknown as WorkflowHandle;
    const printer = { drain: () => Promise.resolve() };
    return followJob({ stdout: stream, stderr: stream }, { db: bench.db, handle, printer });
  };

  test('fails with the command that attaches to the job if Postgres has the job and Temporal does not', async () => {
    await insertResearch(bench.db, 'beside');
    await bench.store.job.openJob({
      id: 'command/a/known',
      kind: 'command',
      taskHash: 'task-1',
      pool: 'local',
      priority: 1,
      spec: { shape: 'to-an-end', command: 'true' },
    });
    await expect(follow('command/a/known')).rejects.toThrow(
      /another Temporal server .* Go on with it: npx perpetua run --attach command\/a\/known$/,
    );
  });

  test('fails for a job that neither of them has', async () => {
    await expect(follow('command/a/unknown')).rejects.toThrow('The command could not be run: workflow not found');
  });
});
