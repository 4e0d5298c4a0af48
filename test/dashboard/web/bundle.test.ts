import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('the page takes no schemas along, and is small', async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: ['dashboard/web/main.tsx'],
    outdir: 'unwritten',
    ...{ bundle: true, minify: true, write: false, metafile: true, format: 'esm', jsx: 'automatic' },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const packages = Object.keys(metafile.inputs).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  expect([...new Set(packages)].sort()).not.toContain('zod');
  const bytes = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
  expect(bytes).toBeLessThan(250_000);
});
