/** Prints the software bill of materials of production, as CycloneDX: `npm run --silent sbom > sbom.cdx.json`. */
import { makeSbom } from "./release/sbom.ts";

process.stdout.write(makeSbom(process.cwd()));
