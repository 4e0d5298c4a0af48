import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { never, specOf, type Bench } from './support.ts';

/** Part of the suite: folders that a task names, of an adapter whose files lie on this machine. */
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

  it('are refused where they lead to what no run may see', async () => {
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
