import { expect, it } from 'vitest';
import { bytes, never, specOf, type Bench } from './support.ts';

/** Part of the suite: the setup of a stage. */
export function setupTests({ compute, run }: Bench): void {
  it('runs once, shows its lines, and lets every run read what it made', async () => {
    await compute().stage('with-setup', [
      { path: 'make.sh', content: bytes('echo 42 > "$PERPETUA_DATA/answer"; echo made') },
    ]);
    const lines: string[] = [];
    const prepare = () =>
      compute().prepare('with-setup', ['sh make.sh', 'echo more >&2; [ "$PYTHONUNBUFFERED" = 1 ]'], {
        onOutput: (l) => lines.push(l),
        signal: never,
      });
    expect(await compute().isPrepared('with-setup')).toBe(false);
    await Promise.all([prepare(), prepare()]);
    expect(lines).toEqual(['made', 'more']);
    expect(await compute().isPrepared('with-setup')).toBe(true);
    const { text } = await run('cat "$PERPETUA_DATA/answer"; echo x > "$PERPETUA_DATA/answer" || echo refused', {
      stageHash: 'with-setup',
      sandbox: 'required',
    });
    expect(text).toMatch(/^42\n[\s\S]*refused\n$/);
  });

  it('sees no files if all are mutable; each run has them, in their folders and with their modes', async () => {
    const stageHash = 'all-mutable';
    await compute().stage(stageHash, []);
    const lines: string[] = [];
    const onOutput = (line: string): void => void lines.push(line);
    await compute().prepare(stageHash, ['ls -A; echo 42 > "$PERPETUA_DATA/answer"'], { onOutput, signal: never });
    expect(lines).toEqual([]);
    const say = (word: string) => bytes(`#!/bin/sh\necho ${word} "$(cat "$PERPETUA_DATA/answer")"\n`);
    for (const word of ['first', 'second']) {
      const files = [
        { path: 'deep/say.sh', content: say(word), executable: true },
        { path: 'main.txt', content: bytes(word) },
      ];
      const { spec, text } = await run('deep/say.sh; ls; [ ! -x main.txt ] && rm main.txt', { stageHash, files });
      expect(text).toBe(`${word} 42\ndeep\nmain.txt\n`);
      const { changed, damaged } = await compute().collect(spec, { artefacts: [] });
      expect({ changed, damaged }).toEqual({ changed: [], damaged: undefined });
    }
  });

  it.each([
    ['a folder', 'mkdir -p conf/main.txt', /conf\/main.txt is a folder/],
    ['a link to a folder of it', 'mkdir real && ln -s real conf', /conf\/main.txt leads through a link/],
    ['a file in place of its folder', 'echo none >conf', /conf\/main.txt leads through a link, or a part/],
  ])('is at fault if it puts %s in place of a mutable file, and no run starts', async (obstacle, setup, message) => {
    const stageHash = `taken by ${obstacle}`.replaceAll(' ', '-');
    await compute().stage(stageHash, [{ path: 'x', content: bytes('') }]);
    await compute().prepare(stageHash, [setup], { onOutput: () => undefined, signal: never });
    const spec = specOf('true', { stageHash, files: [{ path: 'conf/main.txt', content: bytes('') }] });
    await expect(compute().launch(spec)).rejects.toMatchObject({
      name: 'SetupFailedError',
      code: 'setup-failed',
      message: expect.stringMatching(message) as string,
    });
    expect(await compute().inspect(spec)).toEqual({ state: 'absent' });
  });

  it('reports a failure with its last lines, and may be retried', async () => {
    await compute().stage('bad-setup', [{ path: 'x', content: bytes('') }]);
    const failing = compute().prepare('bad-setup', ['echo why; exit 3'], {
      onOutput: () => undefined,
      signal: never,
    });
    await expect(failing).rejects.toMatchObject({ name: 'SetupFailedError', logTail: 'why' });
    expect(await compute().isPrepared('bad-setup')).toBe(false);
    await compute().prepare('bad-setup', ['true'], { onOutput: () => undefined, signal: never });
    expect(await compute().isPrepared('bad-setup')).toBe(true);
  });
}
