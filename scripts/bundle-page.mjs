// The dashboard's page: its sources to three files that a browser takes as they are.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that go along as they are. */
const BESIDE = ['index.html', 'icon.svg'];

/** Bundles dashboard/web into `dist/dashboard/web`: page.js, page.css and what lies beside them. Throws with esbuild's words. */
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
    ...BESIDE.map((name) => [join(to, name), readFileSync(join(from, name))]),
  ];
  // Whole files by rename, since a server may be reading.
  for (const [path, contents] of files) {
    const next = `${path}.${process.pid}.next`;
    writeFileSync(next, contents);
    renameSync(next, path);
  }
}

/** A page that was made from other sources must not be served for these. */
export const removePage = (dist) => rmSync(join(dist, 'dashboard', 'web'), { recursive: true, force: true });
