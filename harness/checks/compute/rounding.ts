/** How far figures may be apart that are rounded to different places. */

/** A hundredth of a credit or a gigabyte, and what binary fractions add to it. */
export const ROUNDING = 0.011;
