import { expect, it } from 'vitest';
import { type Bench, bytes, never } from './support.ts';

/** Part of the suite: what a run leaves. */
export function filesTests({ compute, run }: Bench): void {
  it('is collected: artefacts, missing ones, too large ones, the log', async () => {
    const { spec } = await run(
      `echo hello; mkdir out; printf abc > out/a.bin; head -c 2000 /dev/zero > big; ln -s /etc/passwd link;
           ln -s /etc dir; mkfifo pipe; mkdir folder`,
    );
    const wanted = ['out/a.bin', 'big', 'link', 'dir/passwd', 'pipe', 'folder', 'nothing', 'out/a.bin/x'];
    const got = await compute().collect(spec, { artefacts: wanted.map((path) => ({ path, maxBytes: 1000 })) });
    expect(got.artefacts.map(({ path, content }) => [path, Buffer.from(content).toString()])).toEqual([
      ['out/a.bin', 'abc'],
    ]);
    expect(got.missing).toEqual(['link', 'dir/passwd', 'pipe', 'folder', 'nothing', 'out/a.bin/x']);
    expect(got.tooLarge).toEqual(['big']);
    expect(got).toMatchObject({ logTail: 'hello\n', changed: [] });
    await expect(compute().collect(spec, { artefacts: [{ path: '../x', maxBytes: 1 }] })).rejects.toThrow('path');
  });

  it('is seen by no other run: each has its own home and cache folder, empty but for the task', async () => {
    const leave =
      'for at in "$HOME" "$TMPDIR" "${XDG_CACHE_HOME:-$HOME/.cache}"; ' +
      'do mkdir -p "$at/.cache"; echo warm > "$at/.cache/mark"; done';
    const look = 'find "$HOME" "$TMPDIR" "${XDG_CACHE_HOME:-$HOME/.cache}" -name mark 2>/dev/null';
    expect((await run(`${leave}; ${look} | wc -l`)).text.trim()).not.toBe('0');
    expect((await run(`${look} | wc -l`)).text.trim()).toBe('0');
  });

  it('includes folders that only the candidate has: its files may lie at any depth', async () => {
    const files = ['new/deep/deeper/x.txt', 'fixed/beside/y.txt'];
    const { text } = await run(`cat ${files.join(' ')}`, {
      files: files.map((path) => ({ path, content: bytes(`${path}\n`) })),
    });
    expect(text).toBe(files.map((path) => `${path}\n`).join(''));
  });

  it('includes executable files of the candidate if the files that they replace are executable', async () => {
    const files = [
      { path: 'tool', content: bytes('#!/bin/sh\necho the new tool\n') },
      { path: 'main.txt', content: bytes('#!/bin/sh\necho main\n') },
      { path: 'new/x.txt', content: bytes('#!/bin/sh\necho new\n') },
    ];
    const look = 'for at in main.txt new/x.txt; do [ ! -x "$at" ] || echo "$at"; done';
    expect((await run(`./tool; ${look}`, { files })).text).toBe('the new tool\n');
  });

  it('includes executable files of the candidate if setup made the files that they replace executable', async () => {
    await compute().stage('made-executable', [{ path: 'go.sh', content: bytes('echo old\n'), executable: false }]);
    await compute().prepare('made-executable', ['chmod +x go.sh'], { onOutput: () => undefined, signal: never });
    const files = [{ path: 'go.sh', content: bytes('#!/bin/sh\necho new\n') }];
    expect((await run('./go.sh', { stageHash: 'made-executable', files })).text).toBe('new\n');
  });

  it.each([
    ['changed', 'echo x > fixed/data.txt'],
    ['changed, but as long as before', 'printf fixeD > fixed/data.txt'],
    ['removed', 'rm -r fixed'],
    ['a link', 'mv fixed/data.txt /tmp/d && ln -s /tmp/d fixed/data.txt'],
    ['under a link', 'cp -r fixed other && rm -r fixed && ln -s other fixed'],
    ['a fifo', 'rm fixed/data.txt && mkfifo fixed/data.txt'],
  ])('shows an immutable file that is %s', async (_, command) => {
    const { spec } = await run(`${command}; echo y > main.txt`);
    expect((await compute().collect(spec, { artefacts: [] })).changed).toEqual(['fixed/data.txt']);
  });

  it('is removed, however hostile its names and modes', async () => {
    const { spec } = await run(`mkdir -p "a b/c'd" ./-rf; touch "a b/c'd/\nx" ./-rf/y; chmod 000 "a b/c'd" "a b"`);
    await compute().remove(spec);
    expect(await compute().inspect(spec)).toEqual({ state: 'absent' });
  });
}
