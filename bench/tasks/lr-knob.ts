/** Prints the table of lr-knob's README, the worth of its knobs: npx tsx bench/tasks/lr-knob.ts */
import { tableLines } from './lr-knob/calibration.ts';

for (const line of tableLines()) process.stdout.write(`${line}\n`);
