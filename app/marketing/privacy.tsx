import { Prose } from "../ui/prose.tsx";
import type { Route } from "./+types/privacy.ts";
import { publicMeta } from "./seo/public-meta.ts";

export const meta: Route.MetaFunction = ({ matches }) => publicMeta(matches, "/privacy");

export default function Privacy() {
  return (
    <Prose>
      <h1>Privacy</h1>
      <p>
        We keep your name, your email address, a hash of your password, which plan or promo code you hold, and
        who is signed in. Payments happen at Stripe; we never see your card.
      </p>
      <p>
        These pages set no cookie and load nothing from anybody else. Signing in sets one cookie, to keep you
        signed in.
      </p>
    </Prose>
  );
}
