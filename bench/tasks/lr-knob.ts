/** Prints the worth of lr-knob's knobs, the table of its README: npx tsx bench/tasks/lr-knob.ts */
import { tableLines } from './lr-knob/calibration.ts';

for (const line of tableLines()) process.stdout.write(`${line}\n`);
