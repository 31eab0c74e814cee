/** How far figures may be apart that are rounded to different places. */

/** A hundredth of a credit or a gigabyte, and what binary fractions add to it. */
export const ROUNDING = 0.011;

/** The same for costs: one of the figures may be rounded to the credit. */
export const CREDIT = 1 + ROUNDING;
