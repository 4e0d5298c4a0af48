import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../config/paths.ts';

interface Output {
  /** Source that is imported or run as this file; absent for a shared part. */
  entryPoint?: string;
  imports: { path: string; kind: string; external?: boolean }[];
  inputs: Record<string, unknown>;
}

let outputs: Record<string, Output>;
beforeAll(async () => {
  const root = packageRoot();
  const script = (await import(pathToFileURL(join(root, 'scripts/bundle-command.mjs')).href)) as {
    bundleCommand(options: { root: string; dist: string }): Promise<{ metafile: { outputs: Record<string, Output> } }>;
  };
  ({ outputs } = (await script.bundleCommand({ root, dist: join(root, 'dist') })).metafile);
});

/** Sources and packages that are loaded together with a source. Throws if the source has no part. */
function loadedWith(source: string): Set<string> {
  const [entry] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source) ?? [];
  if (entry === undefined) throw new Error(`expected a part for ${source}, found none`);
  const files = new Set([entry]);
  const loaded = new Set<string>();
  for (const file of files) {
    const { imports, inputs } = outputs[file] ?? { imports: [], inputs: {} };
    for (const input of Object.keys(inputs)) loaded.add(/node_modules\/((@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? input);
    for (const { path, kind, external } of imports) {
      if (kind === 'dynamic-import') continue;
      if (external) loaded.add(path);
      else files.add(path);
    }
  }
  return loaded;
}

test('the help of all commands loads none of them, and no package but the one that prints it', () => {
  const loaded = [...loadedWith('cli/main.ts')];
  expect(loaded.filter((source) => source.startsWith('cli/commands/'))).toEqual([]);
  expect(loaded.filter((source) => !/\.ts$|^node:|^<define:/.test(source))).toEqual(['commander']);
});

test.each(['status', 'watch', 'list', 'trial/show', 'trial/log', 'events', 'best', 'trial/diff', 'export', 'git'])(
  '`%s` reads Postgres without the client of Temporal, SSH, or the code of another command',
  (name) => {
    const source = `cli/commands/reads/${name}.ts`;
    const loaded = loadedWith(source);
    expect(loaded).toContain('pg');
    for (const slow of ['@temporalio/client', '@grpc/grpc-js', '@temporalio/proto', 'ssh2', 'openai'])
      expect(loaded).not.toContain(slow);
    const commands = [...loaded].filter((path) => path.startsWith('cli/commands/'));
    expect(commands).toEqual([source]);
  },
);
