print("sluiced")
