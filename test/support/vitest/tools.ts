// @ts-expect-error This file runs before anything is compiled, hence without types.
import { getBusybox as busybox } from '../../../scripts/test-tools/busybox.mjs';
// @ts-expect-error The same.
import { getChromium as chromium } from '../../../scripts/test-tools/chromium.mjs';
// @ts-expect-error The same.
import { getPgbouncer as pgbouncer } from '../../../scripts/test-tools/pgbouncer.mjs';
// @ts-expect-error The same.
import { getSshd as sshd } from '../../../scripts/test-tools/sshd.mjs';

const all = [sshd, busybox, chromium, pgbouncer] as (() => unknown)[];

/** Gets the tools that only tests need, also if `vitest` is called directly. */
export default function getTools(): void {
  for (const get of all) get();
}
