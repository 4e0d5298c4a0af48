import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { hrefOf, parseAddress } from '../../../dashboard/web/address.ts';

test('the page contains no schemas, and is small', async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: ['dashboard/web/main.tsx'],
    outdir: 'unwritten',
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const packages = Object.keys(metafile.inputs).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  expect([...new Set(packages)].sort()).not.toContain('zod');
  const bytes = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
  expect(bytes).toBeLessThan(250_000);
});

test.each([
  [[], {}, '#/'],
  [['r', 'demo'], {}, '#/r/demo'],
  [['r', 'a/b ?#%', 'trials', '7'], {}, '#/r/a%2Fb%20%3F%23%25/trials/7'],
  [['r', 'demo'], { x: 'time', none: null, empty: '', missing: undefined, zero: 0 }, '#/r/demo?x=time&zero=0'],
])('the place %j with %j has the address %s, and is restored from it', (segments, params, href) => {
  expect(hrefOf(segments, params)).toBe(href);
  const place = parseAddress(href);
  expect(place.segments).toEqual(segments);
  expect(hrefOf(place.segments, Object.fromEntries(place.params))).toBe(href);
});

test.each(['', '#', '#/', '#/%', '#/r/%E0%A4%A'])('the address %j, which names no page, is the start page', (hash) => {
  expect(parseAddress(hash).segments).toEqual([]);
});
