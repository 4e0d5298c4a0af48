import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { never, specOf, type Bench } from './support.ts';

/** Part of the suite: folders that a task names; for adapters whose files lie on this machine. */
export function ownFoldersTests({ compute, stages, run }: Bench): void {
  let base = '';
  const at = (path: string): string => join(base, path);
  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
    chmodSync(at(path), mode);
  };
  beforeAll(() => {
    base = mkdtempSync(join(tmpdir(), 'perpetua-own-'));
    chmodSync(base, 0o755);
    // A Python elsewhere, and an environment made from it by a link to a link.
    write('pythons/3.9/bin/python3.9', `#!/bin/sh\ncat '${at('pythons/3.9/lib/python3.9/os.py')}'\n`, 0o755);
    write('pythons/3.9/lib/python3.9/os.py', 'its library\n');
    mkdirSync(at('links'));
    symlinkSync('../pythons/3.9/bin/python3.9', at('links/python3'));
    write('venv/pyvenv.cfg', `home = ${at('links')}\n`);
    mkdirSync(at('venv/bin'));
    symlinkSync(at('links/python3'), at('venv/bin/python3'));
    write('venv/lib/own.txt', 'of the environment\n');
    write('data/numbers.txt', 'numbers\n');
    write('other.txt', 'not seen\n');
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  const required = { sandbox: 'required' } as const;
  beforeEach(async ({ skip }) => {
    const { sandboxed, notes } = await compute().protections('required');
    skip(!sandboxed, `no sandbox here: ${notes.join('; ')}`);
  });

  it('are seen by its run, with the Python that an environment there was made from, and nothing beside', async () => {
    const { text } = await run(`python3; cat ${at('venv/lib/own.txt')} ${at('data/numbers.txt')} ${at('other.txt')}`, {
      ...required,
      path: [at('venv/bin')],
      readable: [at('data')],
    });
    expect(text).toMatch(/^its library\nof the environment\nnumbers\ncat: .*other\.txt.*No such file/);
  });

  it('are first on the PATH of its setup', async () => {
    await compute().stage('with-path', [{ path: 'main.txt', content: Buffer.from('x') }]);
    const lines: string[] = [];
    await compute().prepare('with-path', ['python3'], {
      onOutput: (line) => lines.push(line),
      signal: never,
      path: [at('venv/bin')],
    });
    expect(lines).toEqual(['its library']);
  });

  it('are reported if they do not exist, are files, or lack a required tool', async () => {
    const path = [at('tools/bin')];
    write('tools/bin/tool', '#!/bin/sh\necho "tool 2.5.1 of ours"\n', 0o755);
    const missing = (needs: object): Promise<string[]> =>
      compute().missingTools({ path: [], readable: [], requires: [], ...needs });
    expect(await missing({ path, readable: [at('data')], requires: ['sh', 'tool>=2.5,<3'] })).toEqual([]);
    expect(await missing({ path: [at('none/bin')], readable: [at('other.txt')] })).toEqual([
      expect.stringMatching(/^run\.path: expected the folder \S+\/none\/bin on host .*, got nothing; /),
      expect.stringMatching(/^run\.readable: expected the folder \S+\/other\.txt on host .*, got a file; /),
      expect.stringContaining('it is a file'),
    ]);
    const requires = ['tool>=3', 'no-such-tool', 'tool'];
    const problems = await missing({ path, requires });
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^requires: expected tool>=3 on host .*, got 2\.5\.1 of \S+\/tool; install it/);
    expect(problems[1]).toMatch(/^requires: expected no-such-tool on host .*, got nothing; install it/);
  });

  it('are found for a command, a module or a file that a run lacked', async () => {
    const folders = { path: [], beside: [at('found/bin')] };
    write('found/bin/frobnicate', '#!/bin/sh\n', 0o755);
    const module = at('found/lib/python3.9/site-packages/frob');
    write(
      'found/bin/python3',
      `#!/bin/sh\nprintf 'python\\t%s\\t3.9.1\\t%s\\n' '${at('found/bin')}' '${module}'\n`,
      0o755,
    );
    const found = { folder: at('found/bin'), userSite: null, closed: null, refused: null };
    expect((await compute().locateMissing({ kind: 'command', name: 'frobnicate' }, folders)).found).toEqual([
      { ...found, version: null },
    ]);
    const { found: modules, pythons } = await compute().locateMissing({ kind: 'python', name: 'frob' }, folders);
    expect(modules).toEqual([{ ...found, version: '3.9.1' }]);
    expect(pythons[0]).toBe('3.9.1');
    const file = { kind: 'file', name: at('data/numbers.txt') } as const;
    expect((await compute().locateMissing(file, folders)).found).toMatchObject([{ folder: at('data'), refused: null }]);
    expect((await compute().locateMissing({ kind: 'file', name: at('nothing') }, folders)).found).toEqual([]);
  });

  it('are reported if the user of runs may not read them', async ({ skip }) => {
    skip(!(await compute().protections('required')).uid, 'runs have no user of their own here');
    write('closed/bin/tool', '#!/bin/sh\n', 0o755);
    write('closed/pyvenv.cfg', '');
    chmodSync(at('closed'), 0o700);
    expect(await compute().missingTools({ path: [at('closed/bin')], readable: [], requires: [] })).toEqual([
      expect.stringMatching(/got \S+\/closed with mode 700; run chmod -R o\+rX \S+\/closed, or let Perpetua/),
    ]);
  });

  it('are refused if they lead to files that no run may see', async () => {
    symlinkSync(stages(), at('stages'));
    mkdirSync(at('.ssh'));
    symlinkSync(at('.ssh'), at('keys'));
    const refused = (name: string) =>
      expect(compute().launch(specOf('true', { ...required, readable: [at(name)] })), name).rejects.toMatchObject({
        code: 'cannot-show',
        message: expect.stringContaining(at(name)) as unknown,
      });
    await refused('stages');
    await refused('keys');
  });
}
