/** log₂ of scrypt's N for the servers of tests: `SCRYPT_LN`. */
export const TEST_LN = 8;
