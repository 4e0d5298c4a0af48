import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { carryScript } from '../../../domain/attack/carrier.ts';
import { scriptOf } from '../../../domain/attack/script.ts';

const folder = mkdtempSync(join(tmpdir(), 'perpetua-carrier-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Programs that print "work". Some begin with lines that have to stay first in their language. */
const PROGRAMS = {
  'module.mjs': "#!/usr/bin/env node\nimport { writeSync } from 'node:fs';\nwriteSync(1, 'work\\n');\n",
  'module.js': "'use strict';\nconst fs = require('node:fs');\nfs.writeSync(1, 'work\\n');\n",
  'bare.mjs': "console.log('work');\n",
  'future.py': '#!/usr/bin/python3\n"""It works."""\nfrom __future__ import annotations\nprint("work", flush=True)\n',
  'plain.py': '# -*- coding: utf-8 -*-\nprint("work", flush=True)\n',
  'program.sh': '#!/bin/sh\nset -eu\necho work\n',
};
const BY: Record<string, string> = { mjs: process.execPath, js: process.execPath, py: 'python3', sh: 'sh' };

/** Runs a program that carries a script. `asked`: gives it a question on stdin, as to a program that answers. */
function play(path: keyof typeof PROGRAMS, script: string, asked = false) {
  writeFileSync(join(folder, path), carryScript(PROGRAMS, script)[path] ?? '');
  const { status, stdout, stderr } = spawnSync(BY[path.split('.')[1] ?? ''] ?? '', [path], {
    cwd: folder,
    encoding: 'utf8',
    ...(asked ? { input: 'question\n' } : { stdio: ['ignore', 'pipe', 'pipe'] }),
  });
  return { status, stdout, stderr };
}

describe.each(Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[])('%s', (path) => {
  test('tries an attack before its work and after it', () => {
    const { status, stdout, stderr } = play(path, scriptOf('it', { begin: 'echo "before \'it\'"', end: 'echo after' }));
    expect({ status, stdout }).toEqual({ status: 0, stdout: "before 'it'\nwork\nafter\n" });
    expect(stderr).toContain('perpetua-attack: tried it\n');
  });

  test('does no work if the attack ends it, and exits with the code of the attack', () => {
    expect(play(path, scriptOf('it', { begin: 'exit 7', end: 'echo after' }))).toMatchObject({ status: 7, stdout: '' });
  });

  test('answers questions in place of the program, and tries nothing else then', () => {
    const script = scriptOf('it', {
      begin: 'exit 7',
      end: 'echo after',
      answer: 'read -r line; echo "got $line"; exit 0',
    });
    expect(play(path, script, true)).toMatchObject({ status: 0, stdout: 'got question\n', stderr: '' });
  });

  test('works as usual when it gets a question and the attack has no answer of its own', () => {
    expect(play(path, scriptOf('it', { begin: 'exit 7' }), true)).toMatchObject({ status: 0, stdout: 'work\n' });
  });
});

test('a file in a language that is not known carries nothing', () => {
  expect(carryScript({ 'knobs.env': 'X=1\n', 'a.rs': '', constructor: '' }, 'exit 1')).toEqual({});
});
