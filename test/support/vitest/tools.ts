// @ts-expect-error It runs before anything is compiled, hence without types.
import { getBusybox as busybox } from '../../../scripts/busybox.mjs';
// @ts-expect-error The same.
import { getChromium as chromium } from '../../../scripts/chromium.mjs';
// @ts-expect-error The same.
import { getSshd as sshd } from '../../../scripts/sshd.mjs';

const all = [sshd, busybox, chromium] as (() => unknown)[];

/** Tools that only tests need, where `vitest` is called by itself. */
export default function getTools(): void {
  for (const get of all) get();
}
