import { useRouteLoaderData } from "react-router";
import stylesheet from "./account.css?url";
import type { loader } from "./signed-in.tsx";

/** The line above every account page that says whose account it is; it brings the account pages' styles. */
export function SignedInAs() {
  const person = useRouteLoaderData<typeof loader>("signed-in")?.person;
  return (
    <>
      <link rel="stylesheet" href={stylesheet} precedence="account" />
      {person && (
        <p className="page signed-in-as">
          <Photo {...person} />
          <span>
            Signed in as <strong>{person.name || person.email}</strong>
          </span>
        </p>
      )}
    </>
  );
}

interface PhotoProps {
  name: string;
  email: string;
  image: string | null;
}

/** A person's photo; without one, or until it has loaded, the first letter of their name. */
function Photo({ name, email, image }: PhotoProps) {
  const [letter = ""] = name || email;
  return (
    <span className="photo">
      <span aria-hidden="true">{letter.toUpperCase()}</span>
      {image && <img src={image} alt="" referrerPolicy="no-referrer" />}
    </span>
  );
}
