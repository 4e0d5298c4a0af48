import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { NOWHERE, run, runOn } from './support/cli.ts';

const NO_POSTGRES = `postgres://u:secret@${NOWHERE}/db`;

describe('exit codes', () => {
  it('are 0 for help and version, on stdout', async () => {
    const help = await run(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const name of ['up', 'worker', 'doctor', 'init', 'check', 'list', 'start', 'status', 'watch', 'log', 'best'])
      expect(help.stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    for (const name of ['show', 'diff', 'pause', 'resume', 'stop', 'note', 'abort', 'clean', 'attack'])
      expect(help.stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
    expect((await run(['log', '--help'])).stdout).toContain('--follow');
    expect((await run(['help', 'log'])).stdout).toContain('--follow');
    expect((await run(['note', '--help'])).stdout).toContain(
      'Example: npx perpetua note nano-lm "try a smaller batch"',
    );
  });

  it.each([
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['frobnicate'], 'See: npx perpetua --help'],
    [['frobnicate', '--help'], "unknown command 'frobnicate'"],
    [['help', 'statu'], "unknown command 'statu'\n(Did you mean status?)"],
    [['show'], 'See: npx perpetua show --help'],
    [['statu'], 'Did you mean status?'],
    [['fleet', 'chek'], "unknown command 'chek'\n(Did you mean check?)\nSee: npx perpetua fleet --help"],
    [['fleet', 'claen', 'box', '--dry-run'], 'Did you mean clean?'],
    [['fleet', 'frobnicate', '--help'], "unknown command 'frobnicate'\nSee"],
    [['fleet', '--jsno'], 'Did you mean --json?'],
    [['export', 'curvs'], 'Did you mean curves?'],
    [['abort', 'reply'], 'Did you mean replay?'],
    [['status', '--frob'], "unknown option '--frob'"],
    [['show'], "missing required argument 'trial'"],
    [['note'], "missing required argument 'text'"],
    [['note', 'toy', ''], 'Expected a note of 1 to 4000 characters'],
    [['budget', '--trials', 'many'], 'Expected --trials to be a number or none, got "many"'],
    [['budget', '--trials', '1.5'], 'trials'],
    [['budget', '--when-spent', 'later'], 'whenSpent'],
    [['window', 'toy', 'wide'], 'Expected a window from 1 to'],
    [['inject', 'toy', '-m', 'x'], 'Give a file: --file PATH=FILE'],
    [['inject', 'toy', '-m', 'x', '--file', 'train.py'], 'Expected --file PATH=FILE'],
    [['inject', 'toy', '-m', 'x', '--file', 'a=/nowhere/b'], 'Expected a file /nowhere/b'],
    [['log', '--last', 'many'], 'Expected --last to be a whole number'],
  ])('are 2 for %j', async (argv, message) => {
    const { code, stderr } = await runOn(NO_POSTGRES, argv);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('are 2 without any command, with the help', async () => {
    const { code, stderr } = await run([]);
    expect(code).toBe(2);
    expect(stderr).toContain('Usage: perpetua');
  });

  it.each([
    ['status'],
    ['log'],
    ['best'],
    ['watch'],
    ['show', 'toy/1'],
    ['diff', 'toy/1'],
    ['budget'],
    ['window', '4'],
    ['overrule', 'toy/1', 'keep', '-m', 'x'],
    ['pause'],
    ['note', 'less of all'],
    ['list'],
  ])('are 3 if Postgres cannot be reached: %s', async (...argv) => {
    const { code, stderr, json } = await runOn(NO_POSTGRES, [...argv, '--json']);
    expect(code).toBe(3);
    expect(stderr).toContain('Cannot reach Postgres');
    expect(stderr).not.toContain('secret');
    expect(json()).toEqual([{ error: { code: 'unreachable', message: stderr.trimEnd() } }]);
  });

  it('are 3 if a worker cannot reach Temporal, with one line', async () => {
    const { code, stderr, json } = await runOn(NO_POSTGRES, ['worker', '--json']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^Cannot reach Temporal at 127\.0\.0\.1:1 \(ECONNREFUSED\)\. Start the stack .*\n$/);
    expect(json()).toEqual([{ error: { code: 'unreachable', message: stderr.trimEnd() } }]);
  });

  it.each([
    ['pause', 'toy'],
    ['resume', 'toy'],
    ['stop', 'toy', '--now'],
    ['note', 'toy', 'try less'],
  ])('are 3 if Temporal cannot be reached, without a connection to Postgres: %s', async (...argv) => {
    const { code, stderr } = await runOn(NO_POSTGRES, argv);
    expect(code).toBe(3);
    expect(stderr).toContain(`Cannot reach Temporal at ${NOWHERE}`);
  });

  it('are 3 if nothing names the stack', async () => {
    const { code, stderr } = await run(['status'], { env: { PERPETUA_HOME: '/nonexistent' } });
    expect(code).toBe(3);
    expect(stderr).toContain('npx perpetua up');
  });

  it('are 2 for an environment that cannot be used', async () => {
    const { code, stderr } = await run(['status'], { env: { DATABASE_URL: 'mysql://x' } });
    expect(code).toBe(2);
    expect(stderr).toContain('DATABASE_URL');
  });
});
