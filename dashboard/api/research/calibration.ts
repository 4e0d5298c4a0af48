import { z } from 'zod';

/** Expected and measured changes of each proposer's candidates, the most candidates first, as `perpetua report` has. */
export const Calibration = z.object({
  proposers: z.array(
    z.object({
      proposer: z.string(),
      /** Candidates with an expected change and a value, whose parent has a value. */
      candidates: z.int(),
      /** Share whose metric changed in the expected direction. */
      rightDirection: z.number(),
      /** Means over the candidates, in the metric's unit. */
      expected: z.number(),
      actual: z.number(),
    }),
  ),
});
export type Calibration = z.infer<typeof Calibration>;
