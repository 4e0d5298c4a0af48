// Bundles the dashboard's page: its sources become files that a browser loads without further steps.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that are copied without changes. */
const COPIED = ['index.html', 'icon.svg'];

/** Bundles dashboard/web into `dist/dashboard/web`: page.js, page.css and the copied files. Throws esbuild's errors. */
export async function bundlePage({ root, dist }) {
  const { build } = await import('esbuild');
  const [from, to] = [join(root, 'dashboard', 'web'), join(dist, 'dashboard', 'web')];
  const { outputFiles } = await build({
    absWorkingDir: from,
    entryPoints: [{ in: join(from, 'main.tsx'), out: 'page' }],
    outdir: to,
    bundle: true,
    minify: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'silent',
  });
  mkdirSync(to, { recursive: true });
  const files = [
    ...outputFiles.map(({ path, contents }) => [path, contents]),
    ...COPIED.map((name) => [join(to, name), readFileSync(join(from, name))]),
  ];
  // Renames each file into place, so that a running server never reads half a file.
  for (const [path, contents] of files) {
    const next = `${path}.${process.pid}.next`;
    writeFileSync(next, contents);
    renameSync(next, path);
  }
}

/** Removes the page: a page of older sources must not be served. */
export const removePage = (dist) => rmSync(join(dist, 'dashboard', 'web'), { recursive: true, force: true });
